import { at, listAt, mapAt, textAt, type Json } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Column } from "../resources/resource.ts";
import { ageOf } from "./duration.ts";

type Cell = (object: KubeObject, now: Date) => unknown;

/** A column of text. */
export function textColumn(name: string, cell: Cell, priority = 0): Column {
  return { name, type: "string", format: "", description: name, priority, cell };
}

/** A column of whole numbers. */
export function countColumn(name: string, cell: Cell, priority = 0): Column {
  return { name, type: "integer", format: "", description: name, priority, cell };
}

/** The first column of nearly all tables. */
export const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name must be unique within a namespace.",
  priority: 0,
  cell: (object) => object.metadata.name,
};

/** How long ago the object was made. */
export const ageColumn: Column = textColumn("Age", (object, now) => ageOf(object.metadata.creationTimestamp, now));

/** The instant the object was made. */
export const createdColumn: Column = textColumn(
  "Created At",
  (object) => object.metadata.creationTimestamp ?? "<unknown>",
);

/** The text below `path`, else `<none>`. */
export function orNone(object: unknown, ...path: readonly (string | number)[]): string {
  const value = at(object, ...path);
  return value === undefined || value === null || value === "" ? "<none>" : String(value);
}

/** Items joined by commas, else `<none>`. */
export function commaSeparated(items: readonly string[]): string {
  return items.length === 0 ? "<none>" : items.join(",");
}

/** Names and images of the containers of a pod template, and the selector: the wide columns of workloads. */
export function templateColumns(spec: readonly string[], withSelector = true): Column[] {
  const containers = (object: KubeObject): Json[] => listAt(object, ...spec, "containers");
  const columns = [
    textColumn(
      "Containers",
      (object) => commaSeparated(containers(object).map((container) => textAt(container, "name"))),
      1,
    ),
    textColumn(
      "Images",
      (object) => commaSeparated(containers(object).map((container) => textAt(container, "image"))),
      1,
    ),
  ];
  return withSelector
    ? [...columns, textColumn("Selector", (object) => printedSelector(at(object, "spec", "selector")), 1)]
    : columns;
}

/** A label selector, or a plain map of labels, as kubectl prints it. */
export function printedSelector(selector: unknown): string {
  const labels = at(selector, "matchLabels") === undefined && at(selector, "matchExpressions") === undefined;
  const pairs = Object.entries(mapAt(selector, ...(labels ? [] : ["matchLabels"])))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`);
  const terms = labels ? [] : listAt(selector, "matchExpressions").map(expressionText);
  return commaSeparated([...pairs, ...terms]);
}

function expressionText(expression: Json): string {
  const key = textAt(expression, "key");
  const values = Array.isArray(expression["values"]) ? expression["values"].join(",") : "";
  switch (expression["operator"]) {
    case "In":
      return `${key} in (${values})`;
    case "NotIn":
      return `${key} notin (${values})`;
    case "Exists":
      return key;
    default:
      return `!${key}`;
  }
}
