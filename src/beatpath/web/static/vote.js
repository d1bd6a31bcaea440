// Voting: a pair, a vote, who was who; the latest vote can be undone until the next is in.

import { ask } from "./asking.js";
import { all, make, one, options, shown } from "./dom.js";
import { fill } from "./safe.js";

const KEPT = "beatpath-session";
const ADVANCE = "beatpath-advance"; // whether the next pair comes by itself
const PAUSE = 2500; // milliseconds to read who wrote which, and to undo
const KEYS = { 1: "left", ArrowLeft: "left", 2: "right", ArrowRight: "right", t: "tie", b: "both_bad" };
const SAID = { left: "You chose the left answer.", right: "You chose the right answer.", tie: "You called it a tie.", both_bad: "You called both bad." };
const narrow = matchMedia("(max-width: 48rem)");

const session = (() => {
  const known = sessionStorage.getItem(KEPT);
  if (known) return known;
  const made = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  sessionStorage.setItem(KEPT, made);
  return made;
})();

let battle = null;
let standing = {}; // how far the arena is from its goal
let voted = false;
let busy = false;
let coming = 0; // the timer of the next pair

const words = () => (narrow.matches ? ["First", "Second"] : ["Left", "Right"]);

const name = () => {
  const [left, right] = words();
  one("[data-choice=left]").textContent = `${left} is better`;
  one("[data-choice=right]").textContent = `${right} is better`;
  if (!voted) {
    one("#left-name").textContent = `${left} answer`;
    one("#right-name").textContent = `${right} answer`;
  }
};

const keys = (pairs) =>
  one("#keys").replaceChildren(...pairs.flatMap(([signs, what], k) => [
    ...(k ? [" · "] : ["Keys: "]),
    ...signs.flatMap((sign, m) => [...(m ? [" or "] : []), make("kbd", { textContent: sign })]),
    ` ${what}`,
  ]));

// A vote by each criterion, where there are any, and a comment; what is left open is no vote.
const further = () => ({
  criteria: Object.fromEntries(all("#criteria select").filter(({ value }) => value).map(({ dataset, value }) => [dataset.name, value])),
  comment: one("#more textarea").value.trim() || null,
});

const offer = (names) => {
  const [left, right] = words();
  one("#more textarea").value = "";
  one("#criteria").replaceChildren(...names.map((criterion) => {
    const select = make("select");
    select.dataset.name = criterion;
    options(select, [["", "no vote"], ["left", left], ["right", right], ["tie", "Tie"], ["both_bad", "Both bad"]], "");
    return make("label", {}, make("span", { textContent: shown(criterion) }), select);
  }));
  if (names.length) one("#more").open = true;
};

const stage = () => {
  one("#choices").hidden = voted;
  one("#more").hidden = voted;
  one("#after").hidden = !voted;
  one("#pair").classList.toggle("voted", voted);
  keys(voted
    ? [[["Enter"], "next pair"], [["u"], "undo"]]
    : [[["1", "←"], words()[0].toLowerCase()], [["2", "→"], words()[1].toLowerCase()], [["t"], "tie"], [["b"], "both bad"], [["s"], "skip"]]);
};

const say = (sentence) => {
  one("#wrong").hidden = !sentence;
  one("#wrong").textContent = sentence ? `${sentence[0].toUpperCase()}${sentence.slice(1)}` : "";
  one("#wrong").classList.remove("over");
};

const plural = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

const count = (votes) => {
  const told = [`${plural(votes, "vote")} in this session`];
  const { settled, battles, battles_left: left } = standing;
  if (settled) told.push("the question is settled; further votes still count");
  else if (left) told.push(`about ${plural(left < 100 ? left : Number(left.toPrecision(2)), "more vote")} of all voters settle it`);
  one("#votes").textContent = told.join(" · ");
  const line = one("#progress progress");
  line.hidden = !settled && !(left && battles);
  line.value = settled ? 1 : battles / Math.max(1, (battles ?? 0) + (left ?? 0));
  document.title = `${votes ? `${plural(votes, "vote")}: ` : ""}Which answer is better?`;
};

const present = (pair, again = false) => {
  [battle, voted, standing] = [pair.battle, false, pair];
  fill(one("#prompt .text"), pair.prompt);
  for (const side of ["left", "right"]) {
    fill(one(`#${side} .text`), pair[side]);
    one(`#${side} .text`).scrollTop = 0;
    one(`#${side}`).classList.remove("chosen");
  }
  const seen = pair.reveal ? " You have seen the names: judge the answers alone." : "";
  one("#said").textContent = again ? `Your vote is withdrawn.${seen}` : "";
  one("#hidden").textContent = pair.reveal ? "hidden until you have voted" : "not shown";
  count(pair.votes);
  if (!again) offer(pair.criteria);
  name();
  stage();
  one("main").hidden = false;
  if (!again) scrollTo(0, 0);
};

const reveal = (told) => {
  voted = true;
  for (const side of ["left", "right"]) {
    if (told[side] !== null) one(`#${side}-name`).textContent = shown(told[side]);
    one(`#${side}`).classList.toggle("chosen", told.choice === side);
  }
  const chosen = narrow.matches ? SAID[told.choice].replace("left", "first").replace("right", "second") : SAID[told.choice];
  const authors = told.left === null ? "" : ` ${words()[0]} was ${shown(told.left)}, ${words()[1].toLowerCase()} was ${shown(told.right)}.`;
  one("#said").textContent = `${chosen}${authors}`;
  count(told.votes);
  stage();
  one("#next").focus({ preventScroll: true });
  if (one("#advance input").checked) coming = setTimeout(load, PAUSE);
};

// One request at a time; after a refusal the pair before this session is asked for anew.
const during = async (work) => {
  if (busy) return;
  clearTimeout(coming);
  busy = true;
  for (const button of all("#ballot button")) button.disabled = true;
  try {
    say("");
    await work();
  } catch (error) {
    say(error.message);
    if (error.status === 409) await ask("/api/vote/pair", { session }).then(present).catch(() => one("#wrong").classList.add("over")); // no pair is left
  }
  for (const button of all("#ballot button")) button.disabled = false;
  busy = false;
  if (voted) one("#next").focus({ preventScroll: true });
};

const load = () => during(async () => present(await ask("/api/vote/pair", { session })));
const cast = (choice) => during(async () => reveal(await ask("/api/vote/cast", { session, battle, choice, ...further() })));
const skip = () => during(async () => present(await ask("/api/vote/skip", { session, battle })));
const undo = () => during(async () => present(await ask("/api/vote/undo", { session, battle }), true));

for (const button of all("[data-choice]")) button.onclick = () => cast(button.dataset.choice);
one("#next").onclick = load;
one("#undo").onclick = undo;
one("#skip").onclick = skip;
one("#advance input").checked = sessionStorage.getItem(ADVANCE) === "yes";
one("#advance input").onchange = ({ target }) => {
  sessionStorage.setItem(ADVANCE, target.checked ? "yes" : "no");
  if (!target.checked) clearTimeout(coming);
};
narrow.onchange = () => {
  name();
  stage();
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || one("main").hidden) return;
  if (event.target.closest?.("textarea, select, summary")) return; // they take keys themselves
  if (event.key.startsWith("Arrow") && event.target.closest?.(".scroll, .text")) return; // they scroll what is in use
  const choice = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
  const onButton = event.target.tagName === "BUTTON" || event.target.tagName === "A";
  if (!voted && choice) cast(choice);
  else if (!voted && event.key === "s") skip();
  else if (voted && event.key === "u") undo();
  else if (voted && (event.key === "n" || (event.key === "Enter" && !onButton))) load();
  else return;
  event.preventDefault();
});

load();
