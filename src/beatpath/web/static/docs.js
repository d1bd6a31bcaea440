// The operations of the interface, from its own OpenAPI description.

import { make, one } from "./dom.js";

const named = (schema, parts) => {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return several.map((part) => named(part, parts)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(", ");
  if (schema.type === "array") return `list of ${named(schema.items, parts)}`;
  if (schema.type === "object") return `mapping to ${named(schema.additionalProperties === true ? null : schema.additionalProperties, parts) || "anything"}`;
  return schema.type ?? "anything";
};

const table = (heads, rows) =>
  make("div", { className: "scroll" },
    make("table", {},
      make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { className: "name", textContent: text })))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((text) => make("td", { className: "name", textContent: text })))))));

const fields = (schema, parts) =>
  table(["field", "what it takes", "by default", ""], Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name, named(field, parts), field.default === undefined ? "" : JSON.stringify(field.default), field.description ?? "",
  ]));

const operation = (method, path, told, parts) => {
  const section = make("section", {}, make("h2", {}, make("code", { textContent: `${method.toUpperCase()} ${path}` })), make("p", { textContent: told.description ?? "" }));
  for (const [place, said] of [["query", "in the address"], ["header", "as a header"]]) {
    const words = (told.parameters ?? []).filter((one) => one.in === place);
    if (words.length) section.append(table([said, "what it takes", ""], words.map((one) => [one.name, named(one.schema, parts), one.description ?? ""])));
  }
  for (const [kind, { schema }] of Object.entries(told.requestBody?.content ?? {})) {
    section.append(make("p", { className: "quiet", textContent: `Body: ${kind}` }));
    for (const one of [schema, ...(schema.anyOf ?? [])]) if (one.$ref) section.append(fields(parts[one.$ref.split("/").pop()], parts));
  }
  return section;
};

const description = await (await fetch("/openapi.json")).json();
one("#about").textContent = description.info.description;
for (const [path, methods] of Object.entries(description.paths)) {
  for (const [method, told] of Object.entries(methods)) {
    one("#operations").append(operation(method, path, told, description.components.schemas));
  }
}
