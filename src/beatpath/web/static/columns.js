// The first rows of a file, the role of every column, and what outcomes mean.

import { make, one, options, own, shown, ticks } from "./dom.js";

const SEVERAL = ["ballot", "places", "options", "matrix"]; // roles that several columns can share
const MEANINGS = [["", "as it reads"], ["a", "the first won"], ["b", "the second won"], ["tie", "a tie"], ["both_bad", "both bad"], ["drop", "left out"]];

const mayShare = (role, layout) => SEVERAL.includes(role) || (role === "value" && layout === "wide scores");
const columnsOf = (text, names) => (text === undefined ? [] : names.includes(text) ? [text] : text.split("+"));

// The mapping after a column was given another role; "" is none.
export const remapped = (map, preview, column, role) => {
  const { roles, columns, layout } = preview;
  const next = { ...map };
  const held = Object.keys(roles).find((name) => columnsOf(roles[name], columns).includes(column));
  if (held !== undefined) {
    const rest = columnsOf(roles[held], columns).filter((name) => name !== column);
    next[held] = rest.length ? rest.join("+") : "none";
  }
  if (role) {
    const sharing = mayShare(role, layout) ? columnsOf(roles[role], columns) : [];
    next[role] = columns.filter((name) => name === column || sharing.includes(name)).join("+");
  }
  return next;
};

const roleChoices = (layouts, layout) => {
  const own = layouts[layout] ?? { required: [], optional: [] };
  const first = [...own.required, ...own.optional];
  const others = Object.values(layouts).flatMap(({ required, optional }) => [...required, ...optional]);
  return [["", "no role"], ...[...new Set([...first, ...others])].map((role) => [role, role.replaceAll("_", " ")])];
};

const table = (preview, layouts, map, change) => {
  const choices = roleChoices(layouts, preview.layout);
  const heads = preview.columns.map((name) => make("th", { scope: "col", textContent: shown(name) }));
  const selects = preview.columns.map((name) => {
    const select = make("select", { ariaLabel: `role of ${shown(name)}` });
    const role = Object.keys(preview.roles).find((key) => columnsOf(preview.roles[key], preview.columns).includes(name)) ?? "";
    options(select, choices, role);
    select.classList.toggle("has", role !== "");
    select.title = preview.guessed.includes(role) ? "guessed from the name" : "";
    select.onchange = () => change({ map: remapped(map, preview, name, select.value) });
    return make("td", {}, select);
  });
  const rows = preview.rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", { textContent: cell === null ? "" : shown(cell) }))));
  return make("table", {}, make("thead", {}, make("tr", {}, ...heads), make("tr", {}, ...selects)), make("tbody", {}, ...rows));
};

const labels = (preview, given, change) => {
  const values = preview.layout === "battles" ? (own(preview.values, preview.roles.outcome) ?? []) : [];
  one("#labels").hidden = !values.length;
  const rows = [...new Set([...values, ...Object.keys(given)])].map((label) => {
    const select = make("select", { ariaLabel: `meaning of ${shown(label)}` });
    options(select, MEANINGS, own(given, label) ?? "");
    select.onchange = () => {
      const { [label]: _, ...rest } = given;
      change({ labels: select.value ? { ...rest, [label]: select.value } : rest });
    };
    return make("label", { className: "field" }, make("span", { textContent: shown(label) }), select);
  });
  one("#labels div").replaceChildren(...rows);
};

export const show = (preview, state, layouts, change) => {
  const simulated = preview.format === "example" ? "This is simulated: there are no columns to map." : "";
  const said = preview.evidence?.account || preview.note || simulated || "Say what the columns mean.";
  one("#account").textContent = `${said[0].toUpperCase()}${said.slice(1)}`;
  const where = one("#columns");
  where.replaceChildren(...(preview.columns.length ? [table(preview, layouts, state.map, change)] : []));
  labels(preview, state.labels, change);
  const columns = preview.evidence?.kind === "scores" ? preview.evidence.columns : {};
  const names = (columns.metric ?? columns.task)?.levels ?? [];
  one("#lower").hidden = !names.length;
  ticks(one("#lower div"), names, state.lower, (lower) => change({ lower }));
};
