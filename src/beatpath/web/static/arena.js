// The arena alive: whatever the service tells is drawn whole. Names go into text nodes only.

import { make, marked, one, shown } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const count = (number) => number.toLocaleString("en");
const rough = (number) => (number < 100 ? number : Number(number.toPrecision(2)));
const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}\u00a0%`;
const nb = (text) => text.replace(/(\d) (%)/g, "$1\u00a0$2");
const middle = (text, width) => {
  const signs = [...text];
  return signs.length <= width ? text : `${signs.slice(0, width / 2).join("")}…${signs.slice(-width / 2 + 1).join("")}`;
};

const drawn = (tag, attributes) => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

const bar = ({ rank_low: low, rank_high: high }, place, n) => {
  const at = (rank) => `${(100 * rank) / n}%`;
  const picture = drawn("svg", { role: "img", "aria-label": `ranks ${low} to ${high} of ${n}` });
  picture.append(
    drawn("line", { class: "base", x1: "0", x2: "100%", y1: "50%", y2: "50%" }),
    drawn("rect", { class: low === 1 ? "top" : "bar", x: at(low - 1), width: at(high - low + 1), y: "22%", height: "56%", rx: "4" }),
  );
  if (low !== high) picture.append(drawn("line", { class: "tick", x1: at(place - 0.5), x2: at(place - 0.5), y1: "8%", y2: "92%" }));
  return picture;
};

// ---- the win rates of every agent at each look since the page was opened
const POINTS = 120; // looks that are remembered; when there are more, every second is dropped
let looks = [];
const remember = ({ battles, rows }) => {
  if (looks.at(-1)?.battles === battles) looks.pop();
  if (looks.length >= POINTS) looks = looks.filter((_, k) => k % 2 === 0);
  looks.push({ battles, rates: new Map(rows.map(({ agent, win_rate: rate }) => [agent, rate])) });
};

const trend = (agent) => {
  const points = looks.filter(({ rates }) => rates.has(agent)).map(({ battles, rates }) => [battles, rates.get(agent)]);
  if (points.length < 2) return [];
  const all = looks.flatMap(({ rates }) => [...rates.values()]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const [start, end] = [looks[0].battles, looks.at(-1).battles];
  const places = points.map(([x, y]) => `${(100 * (x - start)) / (end - start || 1)},${20 - (20 * (y - low)) / (high - low || 1)}`);
  const label = `win rate from ${percent(points[0][1])} to ${percent(points.at(-1)[1])}`;
  const picture = drawn("svg", { role: "img", "aria-label": label, viewBox: "-1 -2 102 24", preserveAspectRatio: "none" });
  picture.append(drawn("polyline", { points: places.join(" ") }));
  return [picture];
};

const row = (told, k, rows) => {
  const above = rows.filter(({ win_rate: rate }) => rate > told.win_rate).length;
  const alike = rows.filter(({ win_rate: rate }) => rate === told.win_rate).length;
  const low = told.rank_low === told.rank_high ? `${told.rank_low}` : `${told.rank_low} to ${told.rank_high}`;
  return make("tr", { className: k && rows[k - 1].tier !== told.tier ? "cut" : "" },
    make("td", { className: "tier", textContent: told.tier }),
    make("td", { className: "rank wide", textContent: low }),
    Object.assign(make("th", { className: "name", scope: "row", textContent: middle(shown(told.agent), 44) }), { title: shown(told.agent) }),
    make("td", { className: "range" }, bar(told, above + (alike + 1) / 2, rows.length)),
    make("td", { className: "score", textContent: percent(told.win_rate) }),
    make("td", { className: "trend wide" }, ...trend(told.agent)));
};

const far = ({ done, battles, battles_left: left, pending, withdrawn }) => {
  const line = one("#far progress");
  line.hidden = !battles || (left === null && !done);
  line.value = done ? 1 : battles / Math.max(1, battles + (left ?? 0));
  const said = [
    done
      ? "No more battles are needed for the goal."
      : left === null
        ? "The number of battles that remain is not known yet."
        : `About ${plural(rough(left), "more battle")} at the current differences.`,
    `${plural(battles, "battle")} answered, ${count(pending)} pending${withdrawn ? `, ${plural(withdrawn, "vote")} withdrawn` : ""}.`,
  ];
  one("#far p").textContent = said.join(" ");
};

const next = ({ policy, pairs, others }, done, names) => {
  const word = policy.replace("_", "-");
  const rest = others === 1 ? "the other pair has the rest" : `the other ${plural(others, "pair")} share the rest`;
  one("#next > p").textContent = pairs.length
    ? `Pairs are drawn by chance (${word}); these are ${others ? `the likeliest, ${rest}` : "all of them"}.${done ? " The goal is settled: further battles only narrow the board." : ""}`
    : `Pairs are drawn by chance (${word}); ${others === 1 ? "there is one pair" : `all ${plural(others, "pair")} are alike now`}.`;
  one(".pairs").replaceChildren(...pairs.map(({ agents, chance, why }) => {
    const [x, y] = agents.map((name) => make("b", { textContent: middle(shown(name), 40), title: shown(name) }));
    return make("li", {},
      make("span", { className: "share", textContent: percent(chance) }),
      make("span", {}, x, " against ", y),
      make("small", {}, ...marked(why, names)));
  }));
};

const show = (told) => {
  one("#wrong").hidden = !told.error;
  one("#wrong").textContent = told.error ? `${told.error[0].toUpperCase()}${told.error.slice(1)}` : "";
  if (told.error) return;
  const [first, pairs, ...grounds] = told.sentences;
  const open = told.rows.some(({ rank_low: low, rank_high: high }) => low !== high);
  const ground = grounds.join(" ");
  one("#goal").textContent = `Arena · goal: ${told.goal} · ${plural(told.battles, "battle")}`;
  // what is settled stands above; below it what is not, in words that do not take it back
  const names = told.rows.map(({ agent }) => agent);
  const set = (selector, text) => one(selector).replaceChildren(...marked(nb(text), names));
  const ends = open ? " The rest is open, and the goal does not need it." : "";
  set("#first", told.done ? `${pairs}${ends}` : told.goal === "first" ? pairs : first);
  remember(told);
  one("#board").classList.toggle("still", looks.length < 2); // one look has no trend
  set("#reason", told.reason);
  far(told);
  one("#last").textContent = told.rows.length;
  one("tbody").replaceChildren(...told.rows.map(row));
  next(told.next, told.done, names);
  set("#ground p", told.done || told.goal === "first" ? ground : `${pairs} ${ground}`);
  one("main").hidden = false;
  document.title = `${told.reason} · ${plural(told.battles, "battle")}`;
};

const say = (word, state) => {
  const line = one("#link");
  if (line.textContent !== word) line.textContent = word;
  line.className = `quiet ${state}`;
};

const follow = () => {
  const events = new EventSource("/api/arena/events");
  events.onmessage = ({ data }) => {
    say("Renewed as battles arrive", "on");
    show(JSON.parse(data));
  };
  events.onerror = () => {
    say("The server does not answer; trying again", "off");
    if (events.readyState === EventSource.CLOSED) setTimeout(follow, 3000);
  };
};

follow();
