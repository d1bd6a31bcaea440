// The page: what is asked stands in the address; whenever that changes, the file is looked at and the question asked.

import { ask, follow, upload } from "./asking.js";
import * as columns from "./columns.js";
import * as controls from "./controls.js";
import { make, one } from "./dom.js";
import { OF_THE_FILE, query, reading, sameReading, sameState, stateOf } from "./state.js";

let state = stateOf(location.search);
let known = { files: [], limits: {}, methods: [], formats: {}, layouts: {} };
let preview = null;
let looked = null; // the state that the preview is of
let turn = 0; // of several answers, only that to the latest question counts
let job = null;
let latest = null; // the frame that was asked for last
let early = 0; // the turn whose verdict and board are shown while the rest is computed
let before = null; // the state and the figures of the report shown last

const say = (sentence) => {
  one("#wrong").textContent = sentence ? `${sentence[0].toUpperCase()}${sentence.slice(1)}` : "";
  one("#wrong").hidden = !sentence;
};

const choose = (name) => {
  for (const tab of ["answer", "data"]) {
    one(`#tab-${tab}`).setAttribute("aria-selected", tab === name);
    one(`#${tab}`).hidden = tab !== name;
  }
};

const show = () => {
  const used = document.activeElement.getAttribute("aria-label");
  controls.showFiles(known.files, state.file);
  controls.show(preview, state, known, change);
  if (preview) columns.show(preview, state, known.layouts, change);
  if (used && document.activeElement === document.body) one(`[aria-label="${CSS.escape(used)}"]`)?.focus();
};

const change = (patch) => {
  const next = { ...state, ...patch };
  if (sameState(next, state)) return;
  state = next;
  history.pushState(null, "", `?${query(state)}`);
  refresh();
};

// ---- asking

const refresh = async () => {
  const mine = ++turn;
  say("");
  try {
    if (!looked || !sameReading(looked, state)) {
      wait("looking at the file");
      if (looked?.file !== state.file) {
        preview = null;
        one("#answer").replaceChildren();
      }
      show();
      const found = await ask("/api/preview", reading(state));
      if (mine !== turn) return;
      [preview, looked] = [found, state];
    }
    show();
    if (preview.error) {
      choose("data");
      throw new Error(preview.error);
    }
    await compute(mine);
  } catch (error) {
    if (mine === turn) end(error.message);
  }
};

const compute = async (mine) => {
  letGo();
  wait("asking");
  const now = await ask("/api/jobs", state);
  if (mine !== turn) {
    ask(`/api/jobs/${now.id}`, undefined, "DELETE");
    return;
  }
  job = { id: now.id, stop: follow(now.id, (told) => mine === turn && heard(told, mine)) };
};

const heard = (now, mine) => {
  if (["waiting", "running"].includes(now.state)) {
    wait(now.state === "running" && now.seconds >= 1 ? `${now.message} (${Math.floor(now.seconds)} s)` : now.message, early === mine);
    if (now.reports.html && early !== mine) {
      early = mine;
      present(now, mine, false);
    }
    return;
  }
  job = null;
  if (now.state === "done") present(now, mine);
  else end(now.state === "failed" ? now.error : `${now.message} What is shown, if anything, is the answer to an earlier question.`);
};

const letGo = () => {
  if (!job) return;
  job.stop();
  ask(`/api/jobs/${job.id}`, undefined, "DELETE").catch(() => {});
  job = null;
};

const wait = (message, verdict = false) => {
  one("#strip").hidden = false;
  one("#changed").hidden = true;
  const doing = `${message[0].toUpperCase()}${message.slice(1)} …`;
  one("#strip p").textContent = verdict ? `Verdict and board are ready; the rest follows. ${doing}` : doing;
  one("#answer").classList.toggle("old", !verdict);
  one("#downloads").hidden = true;
};

const end = (sentence) => {
  letGo();
  one("#strip").hidden = true;
  say(sentence);
};

// The report is a page of its own, shut off from this one: its scripts reach neither this page nor the service.
const present = ({ reports }, mine, whole = true) => {
  const frame = make("iframe", { className: "coming", title: "Report" });
  latest = frame;
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.onload = () => {
    if (mine !== turn || latest !== frame) {
      frame.remove();
      return;
    }
    for (const other of [...one("#answer").children]) if (other !== frame) other.remove();
    frame.classList.remove("coming");
    one("#answer").classList.remove("old");
    one("#strip").hidden = whole;
    if (whole) compare(reports.json, mine);
  };
  frame.src = reports.html;
  one("#answer").append(frame);
  choose("answer");
  if (!whole) return;
  for (const link of document.querySelectorAll("[data-form]")) link.href = reports[link.dataset.form];
  one("#downloads").hidden = false;
};

// ---- what a change of settings changed

const figuresOf = ({ answer, resolution, board }) => ({
  answer: answer.sentence.replace(/ \([^()]*\)\.$/, "."), // without its level
  agents: board.length,
  certain: resolution?.resolved_pairs,
  pairs: resolution?.pairs,
  first: board.filter(({ tier }) => tier === 1).map(({ agent }) => agent),
});

const nameOf = (key) => one(`#${CSS.escape(key)}`)?.closest("label")?.querySelector("span")?.textContent ?? key;
const valueOf = (key, value) => (key === "level" ? `${Number((100 * value).toPrecision(6))}\u00a0%` : (one(`#${CSS.escape(key)}`)?.selectedOptions?.[0]?.textContent ?? "changed"));

const compare = async (address, mine) => {
  const now = { state, ...figuresOf(await ask(address)) };
  if (mine !== turn) return;
  const [was, line] = [before, one("#changed")];
  before = now;
  if (!was || was.state.file !== now.state.file) return;
  const settings = Object.keys(now.state).filter((key) => !sameState(was.state[key], now.state[key]));
  if (!settings.length) return;
  const pairs = (one) => `${one.certain.toLocaleString("en")} of ${one.pairs.toLocaleString("en")}`;
  const said = [];
  if (was.agents !== now.agents) said.push(`${was.agents} agents become ${now.agents}`);
  if (was.pairs !== undefined && now.pairs !== undefined && pairs(was) !== pairs(now)) said.push(`${pairs(was)} certain pairs become ${pairs(now)}`);
  if (!sameState(was.first, now.first)) said.push(`the first tier has ${now.first.length.toLocaleString("en")} agents instead of ${was.first.length.toLocaleString("en")}`);
  if (was.answer !== now.answer) said.push(`the answer was: ${was.answer}`);
  line.textContent = `${settings.map((key) => `${nameOf(key)} ${valueOf(key, now.state[key])}`).join(", ")}: ${said.length ? said.join("; ") : "nothing on the board changes"}.`.replace(/\.\.$/, ".");
  line.hidden = false;
};

// ---- files

const pick = (file) => change({ ...(file === state.file ? {} : OF_THE_FILE), file });

const send = async (file) => {
  const line = one("#uploading");
  line.hidden = false;
  say("");
  await ready;
  const going = upload(file, known.limits.upload, (share) => {
    one("span", line).textContent = share < 1 ? `uploading: ${Math.round(100 * share)}\u00a0%` : "looking at what came";
  });
  one("button", line).onclick = going.stop;
  try {
    const { id } = await going.sent;
    known = { ...known, ...(await ask("/api/files")) };
    if (id === state.file) {
      looked = null;
      refresh();
    } else pick(id);
  } catch (error) {
    say(error.message);
  }
  line.hidden = true;
};

const forget = async () => {
  await ask(`/api/uploads/${state.file}`, undefined, "DELETE").catch((error) => say(error.message));
  known = { ...known, ...(await ask("/api/files")) };
  pick(known.files.find(({ kind }) => kind === "offered")?.id ?? known.files[0].id);
};

const listen = () => {
  one("#file").onchange = ({ target }) => pick(target.value);
  one("#upload").onchange = ({ target }) => {
    if (target.files[0]) send(target.files[0]);
    target.value = "";
  };
  one("#forget").onclick = forget;
  one("#strip button").onclick = () => {
    const some = early === turn;
    turn++;
    end(some ? "Cancelled. Verdict and board are shown; the rest was not computed." : "Cancelled. What is shown, if anything, is the answer to an earlier question.");
  };
  one("#tab-answer").onclick = () => choose("answer");
  one("#tab-data").onclick = () => choose("data");
  one("#sheet").onclick = ({ target }) => {
    const open = one("#controls").classList.toggle("open");
    target.setAttribute("aria-expanded", open);
    target.textContent = open ? "Close" : "Settings";
  };
  one("#controls").onsubmit = (event) => event.preventDefault();
  one("#copy").hidden = !navigator.clipboard;
  one("#copy").onclick = () => navigator.clipboard.writeText(location.href);
  addEventListener("popstate", () => {
    state = stateOf(location.search);
    refresh();
  });
  addEventListener("pagehide", () => {
    if (job) fetch(`/api/jobs/${job.id}`, { method: "DELETE", keepalive: true }).catch(() => {});
  });
  addEventListener("pageshow", ({ persisted }) => persisted && refresh());
  const body = document.body;
  body.ondragover = (event) => {
    event.preventDefault();
    body.classList.add("dropping");
  };
  body.ondragleave = () => body.classList.remove("dropping");
  body.ondrop = (event) => {
    event.preventDefault();
    body.classList.remove("dropping");
    if (event.dataTransfer.files[0]) send(event.dataTransfer.files[0]);
  };
};

const begin = async () => {
  try {
    const [files, methods, formats] = await Promise.all([ask("/api/files"), ask("/api/methods"), ask("/api/formats")]);
    known = { ...files, ...methods, ...formats };
    if (!state.file) {
      state.file = known.files.find(({ kind }) => kind === "offered")?.id ?? known.files[0].id;
      history.replaceState(null, "", `?${query(state)}`);
    }
    refresh();
  } catch (error) {
    say(error.message);
  }
};

listen();
const ready = begin();
