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
    wait(now.state === "running" && now.seconds >= 1 ? `${now.message} (${Math.floor(now.seconds)} s)` : now.message);
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

const wait = (message) => {
  one("#strip").hidden = false;
  one("#strip p").textContent = `${message[0].toUpperCase()}${message.slice(1)} …`;
  one("#answer").classList.add("old");
  one("#downloads").hidden = true;
};

const end = (sentence) => {
  letGo();
  one("#strip").hidden = true;
  say(sentence);
};

// The report is a page of its own, shut off from this one: its scripts reach neither this page nor the service.
const present = ({ reports }, mine) => {
  const frame = make("iframe", { className: "coming", title: "Report" });
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.onload = () => {
    if (mine !== turn) {
      frame.remove();
      return;
    }
    for (const other of [...one("#answer").children]) if (other !== frame) other.remove();
    frame.classList.remove("coming");
    one("#answer").classList.remove("old");
    one("#strip").hidden = true;
  };
  frame.src = reports.html;
  one("#answer").append(frame);
  choose("answer");
  for (const link of document.querySelectorAll("[data-form]")) link.href = reports[link.dataset.form];
  one("#downloads").hidden = false;
};

// ---- files

const pick = (file) => change({ ...(file === state.file ? {} : OF_THE_FILE), file });

const send = async (file) => {
  const line = one("#uploading");
  line.hidden = false;
  say("");
  await ready;
  const going = upload(file, known.limits.upload, (share) => {
    one("span", line).textContent = share < 1 ? `uploading: ${Math.round(100 * share)} %` : "looking at what came";
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
    turn++;
    end("Cancelled. What is shown, if anything, is the answer to an earlier question.");
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
