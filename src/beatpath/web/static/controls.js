// The settings: every control shows what is asked, and asks for something else when it is changed.

import { all, make, numbers, one, options, own, shown, ticks } from "./dom.js";

const OPERATORS = ["=", "!=", "<", "<=", ">", ">="];
const CONDITION = /^\s*(.+?)\s*(!=|<=|>=|=|<|>)\s*(.*?)\s*$/s;

const sizes = (bytes) => (bytes >= 2 ** 20 ? `${(bytes / 2 ** 20).toFixed(1)} MB` : `${Math.ceil(bytes / 1024)} kB`);

export const showFiles = (files, chosen) => {
  const label = ({ name, kind, bytes }) => (kind === "example" ? name : `${name} (${kind === "upload" ? "uploaded, " : ""}${sizes(bytes)})`);
  const known = files.some(({ id }) => id === chosen);
  options(one("#file"), [...(known || !chosen ? [] : [[chosen, "a file that is not here"]]), ...files.map((file) => [file.id, label(file)])], chosen);
  one("#forget").hidden = files.find(({ id }) => id === chosen)?.kind !== "upload";
};

// Rows to use: one line a condition.
const filters = (preview, state, change) => {
  const columns = preview?.columns.length ? preview.columns : Object.keys(preview?.evidence?.columns ?? {});
  const values = (column) => own(preview?.values, column) ?? own(preview?.evidence?.columns, column)?.levels ?? [];
  const root = one("#filters");
  const read = () => all(".filter", root).map((line) => {
    const [column, operator, value] = all("select, input", line).map((field) => field.value);
    return value === "" ? null : `${column}${operator}${value}`;
  }).filter((text) => text !== null);
  const changed = () => change({ where: read() });
  const line = (text, k) => {
    const [, column = columns[0], operator = "=", value = ""] = text.match(CONDITION) ?? [];
    const suggestions = make("datalist", { id: `values-${k}` });
    const suggest = (name) => suggestions.replaceChildren(...values(name).map((one) => make("option", { value: one })));
    const which = make("select", { ariaLabel: "column" });
    options(which, [...new Set([...columns, column])].map((name) => [name, name]), column);
    const how = make("select", { ariaLabel: "comparison" });
    options(how, OPERATORS.map((sign) => [sign, sign]), operator);
    const what = make("input", { value, ariaLabel: "value", maxLength: 500 });
    what.setAttribute("list", suggestions.id);
    suggest(column);
    which.onchange = () => {
      suggest(which.value);
      what.value = "";
    };
    how.onchange = changed;
    what.onchange = changed;
    const away = make("button", { type: "button", className: "plain", textContent: "×", ariaLabel: "use these rows too" });
    const made = make("div", { className: "filter" }, which, how, what, away, suggestions);
    away.onclick = () => {
      made.remove();
      changed();
    };
    return made;
  };
  const key = JSON.stringify([columns, state.where]);
  if (root.dataset.key !== key) {
    root.dataset.key = key;
    root.replaceChildren(...state.where.map(line));
  }
  one("#add-filter").hidden = !columns.length;
  one("#add-filter").onclick = () => root.append(line("", root.children.length));
};

// A column to choose; one that the evidence does not carry yet is kept along from then on.
const column = (select, first, state, value, preview, pick) => {
  const carried = Object.keys(preview?.evidence?.columns ?? {});
  const free = (preview?.columns ?? []).filter((name) => !Object.values(preview.roles).includes(name));
  const names = [...new Set([...carried, ...free, ...(value ? [value] : [])])];
  options(select, [...first, ...names.map((name) => [`:${name}`, name])], value ? `:${value}` : (state ?? first[0][0]));
  select.onchange = () => {
    const name = select.value.startsWith(":") ? select.value.slice(1) : null;
    pick(name, select.value, name !== null && !carried.includes(name) ? [name] : []);
  };
};

const columns = (preview, state, change) => {
  const keep = (more) => [...new Set([...state.keep, ...more])];
  const cluster = Array.isArray(state.cluster) ? state.cluster.join("+") : null;
  const choices = [["auto", "what the file says"], ["none", "none: independent"]];
  column(one("#cluster"), choices, state.cluster === null ? "none" : "auto", cluster, preview, (name, key, more) =>
    change({ cluster: name === null ? (key === "none" ? null : "auto") : [name], keep: keep(more) }));
  column(one("#contexts"), [["", "task, if few"]], "", state.contexts, preview, (name, _, more) =>
    change({ contexts: name, keep: keep(more) }));
};

const methods = (preview, state, known, change) => {
  const evidence = preview?.evidence;
  const usual = evidence?.usual ?? [];
  const able = evidence?.methods ?? [];
  const sentences = Object.fromEntries(known.map(({ key, sentence }) => [key, sentence]));
  const chosen = state.methods ?? usual;
  one("#methods-said").textContent = state.methods ? `${chosen.length} of ${able.length} methods` : "the usual ones";
  one("#methods").parentElement.hidden = !able.length;
  one("#usual").hidden = state.methods === null;
  one("#usual").onclick = () => change({ methods: null });
  ticks(one("#methods"), able, chosen, (ticked) => {
    const same = ticked.length === usual.length && ticked.every((key) => usual.includes(key));
    change({ methods: same || !ticked.length ? null : ticked });
  }, sentences);
};

const scores = (preview, state, change) => {
  const mixed = typeof state.estimand === "object";
  const agents = preview?.evidence?.agents ?? [];
  one("#estimand").value = mixed ? "mixture" : state.estimand;
  one("#mixture").hidden = !mixed;
  if (mixed) numbers(one("#mixture"), agents, state.estimand, 0, (weights) => Object.keys(weights).length && change({ estimand: weights }));
  one("#estimand").onchange = ({ target: { value } }) =>
    change({ estimand: value === "mixture" ? Object.fromEntries(agents.map((name) => [name, 1])) : value });
};

const weights = (preview, state, change) => {
  const task = preview?.evidence?.columns.task;
  const usable = task !== undefined && task.count === task.levels.length && preview.evidence.kind !== "pairs";
  one("#weights").hidden = !usable;
  if (usable) numbers(one("#weights div"), task.levels, state.weights, 1, (found) => change({ weights: found }));
};

export const show = (preview, state, known, change) => {
  filters(preview, state, change);
  columns(preview, state, change);
  methods(preview, state, known.methods, change);
  scores(preview, state, change);
  weights(preview, state, change);
  for (const part of all("[data-kinds]")) {
    part.hidden = !part.dataset.kinds.split(" ").includes(preview?.evidence?.kind);
  }
  for (const select of all("select[data-choice]")) {
    select.value = state[select.id];
    select.onchange = () => change({ [select.id]: select.value });
  }
  one("#level").value = +(100 * state.level).toFixed(6);
  one("#level").onchange = ({ target }) => target.reportValidity() && change({ level: +(Number(target.value) / 100).toFixed(8) });
  one("#seed").value = state.seed;
  one("#seed").onchange = ({ target }) => target.reportValidity() && change({ seed: Number(target.value) });
  options(one("#format"), [["", "as it shows itself"], ...Object.entries(known.formats).map(([name]) => [name, name])], state.format ?? "");
  for (const name of ["format", "encoding", "delimiter"]) {
    const field = one(`#${name}`);
    field.value = state[name] ?? "";
    field.onchange = () => change({ [name]: field.value === "" ? null : field.value === "\\t" ? "\t" : field.value });
  }
  one("#about").textContent = preview?.evidence ? shown(preview.evidence.size) : "";
};
