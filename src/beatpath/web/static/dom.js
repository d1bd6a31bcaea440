// Making elements. Text from files goes into text nodes only, and signs that are not seen are shown as what they are.

export const one = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// What a mapping holds under a name of a file's own, which may be `constructor`.
export const own = (mapping, name) => (Object.hasOwn(mapping ?? {}, name) ? mapping[name] : undefined);

export const shown = (text) =>
  `${text}`.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, (sign) => `\\u${sign.codePointAt(0).toString(16).padStart(4, "0")}`);

export const make = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

// A sentence with the quoted names in it set in bold instead.
export const marked = (text, names) => {
  const quoted = new Map(names.map((name) => [`'${shown(name)}'`, shown(name)]));
  const pattern = [...quoted.keys()].sort((x, y) => y.length - x.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return text.split(new RegExp(`(${pattern.join("|")})`)).map((part) => (quoted.has(part) ? make("b", { textContent: quoted.get(part) }) : part));
};

export const options = (select, choices, value) => {
  select.replaceChildren(...choices.map(([key, label]) => make("option", { value: key, textContent: shown(label) })));
  select.value = value;
};

// A list of fields, one a name; where the names are the same as before the fields stay, so that the one in use stays in use.
const list = (root, names, field, set) => {
  const known = all("input", root);
  if (known.length !== names.length || known.some((input, k) => input.dataset.name !== names[k])) {
    root.replaceChildren(...names.map((name) => {
      const input = make("input", field);
      input.dataset.name = name;
      const said = make("span", { textContent: shown(name) });
      return make("label", {}, ...(field.type === "checkbox" ? [input, said] : [said, input]));
    }));
  }
  all("input", root).forEach(set);
};

// Names with a number each; `changed` is told the numbers that differ from the usual one.
export const numbers = (root, names, given, usual, changed) => {
  root.classList.add("weigh");
  list(root, names, { type: "number", min: "0", step: "any" }, (input) => {
    input.value = own(given, input.dataset.name) ?? usual;
  });
  root.onchange = () => {
    const inputs = all("input", root);
    if (inputs.every((input) => input.reportValidity())) {
      const found = inputs.map((input) => [input.dataset.name, Number(input.value)]);
      changed(Object.fromEntries(found.filter(([, value]) => value !== usual)));
    }
  };
};

// Names with a box each; `changed` is told the ticked ones.
export const ticks = (root, names, ticked, changed, titles = {}) => {
  root.classList.add("ticks");
  list(root, names, { type: "checkbox" }, (box) => {
    box.checked = ticked.includes(box.dataset.name);
    box.parentElement.title = own(titles, box.dataset.name) ?? "";
  });
  root.onchange = () => changed(all("input", root).filter((box) => box.checked).map((box) => box.dataset.name));
};
