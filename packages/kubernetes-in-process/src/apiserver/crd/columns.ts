import { listAt, numberAt, textAt, type Json } from "../objects/json.ts";
import type { Column } from "../resources/resource.ts";
import { ageColumn, nameColumn } from "../table/column.ts";
import { ageOf } from "../table/duration.ts";
import { compileJsonPath } from "../table/jsonpath.ts";

/** The columns of a custom resource: its name, then those that the version of its definition asks for (age by default). */
export function customColumns(version: Json): readonly Column[] {
  const asked = listAt(version, "additionalPrinterColumns");
  return [nameColumn, ...(asked.length === 0 ? [ageColumn] : asked.map(customColumn))];
}

const TYPES = ["integer", "number", "boolean", "date"] as const;

function customColumn(definition: Json): Column {
  const find = compileJsonPath(textAt(definition, "jsonPath"));
  const type = TYPES.find((name) => name === definition["type"]) ?? "string";
  return {
    name: textAt(definition, "name"),
    type,
    format: textAt(definition, "format"),
    description:
      textAt(definition, "description") ||
      `Custom resource definition column (in JSONPath format): ${textAt(definition, "jsonPath")}`,
    priority: numberAt(definition, "priority") ?? 0,
    cell: (object, now) => cellOf(type, find?.(object)[0], now),
  };
}

/** A value as a column of this type shows it; null, an empty cell, for a value of another type. */
function cellOf(type: Column["type"], value: unknown, now: Date): unknown {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "date":
      return ageOf(value, now);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "string":
      return typeof value === "object" ? JSON.stringify(value) : String(value);
  }
}
