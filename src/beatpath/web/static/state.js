// What is asked, as plain data and as the query of the address, so that a link asks the same.

export const READING = {
  format: null, map: {}, labels: {}, where: [], keep: [], lower: [], encoding: null, delimiter: null,
  self_battles: "drop", repeats: "error",
};
export const QUESTION = {
  methods: null, level: 0.95, estimand: "auto", cluster: "auto", contexts: null, weights: {},
  ties: "half", both_bad: "tie", pair_weight: "count", unranked: "ignore", missing: "unranked", per: "auto", matrix: "auto",
  seed: 0,
};
// what a file's own columns and agents are part of: it goes when another file comes
export const OF_THE_FILE = { ...READING, methods: null, estimand: "auto", cluster: "auto", contexts: null, weights: {} };
export const DEFAULTS = { file: null, ...READING, ...QUESTION };

const NUMBERS = new Set(["level", "seed"]);
const LISTS = new Set(["where", "keep", "lower", "methods", "cluster"]);
const WORDS = { map: String, labels: String, weights: Number, estimand: Number };
const NONE = "none";
const same = (x, y) => JSON.stringify(x) === JSON.stringify(y);

export const reading = (state) => Object.fromEntries(["file", ...Object.keys(READING)].map((name) => [name, state[name]]));
export const sameReading = (x, y) => same(reading(x), reading(y));
export const sameState = same;

export const query = (state) => {
  const words = new URLSearchParams();
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    const value = state[name];
    if (same(value, usual)) continue;
    if (Array.isArray(value)) value.forEach((one) => words.append(name, one));
    else if (value !== null && typeof value === "object") {
      for (const [key, one] of Object.entries(value)) words.append(name, `${key}=${one}`);
    } else words.append(name, value === null ? NONE : value);
  }
  return words.toString();
};

const pairs = (texts, name) =>
  Object.fromEntries(
    texts.map((text) => {
      const at = name === "map" ? text.indexOf("=") : text.lastIndexOf("="); // roles and meanings hold no equals sign
      return [text.slice(0, at), WORDS[name](text.slice(at + 1))];
    }),
  );

export const stateOf = (search) => {
  const words = new URLSearchParams(search);
  const state = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS)) {
    const texts = words.getAll(name);
    if (!texts.length) continue;
    if (name in WORDS && texts[0].includes("=")) state[name] = pairs(texts, name);
    else if (name === "cluster" && texts[0] === NONE) state[name] = null;
    else if (LISTS.has(name)) state[name] = texts;
    else state[name] = NUMBERS.has(name) ? Number(texts[0]) : texts[0];
  }
  return state;
};
