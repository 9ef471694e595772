import { childField } from "./cause.ts";
import { isArray, isJsonObject } from "./json.ts";
import { isIntOrString, memberSchema, type Schema, type SchemaType } from "./schema.ts";

/** A value of another type than its schema asks for. */
export interface Mistyped {
  readonly actual: SchemaType | "null";
  readonly wanted: string;
}

/** The error of the type of `value` itself; the members of `value` are not looked at. */
export function typeMismatch(schema: Schema, value: unknown): Mistyped | undefined {
  const actual = typeOf(value);
  const wanted = isIntOrString(schema) ? "integer,string" : schema.type;
  if (wanted === undefined) return undefined;
  const fits =
    wanted === "integer,string"
      ? actual === "integer" || actual === "string"
      : actual === wanted || (wanted === "number" && actual === "integer");
  return fits ? undefined : { actual, wanted };
}

/** The first field of the wrong type, at whatever depth; undefined when every type is right. */
export function firstMistyped(schema: Schema, value: unknown, path = ""): (Mistyped & { field: string }) | undefined {
  const wrong = typeMismatch(schema, value);
  if (wrong !== undefined) return { ...wrong, field: path };
  const { items } = schema;
  if (isArray(value)) {
    return items === undefined ? undefined : firstOf(value, (item) => firstMistyped(items, item, path));
  }
  if (!isJsonObject(value)) return undefined;
  return firstOf(Object.entries(value), ([key, member]) => {
    const known = memberSchema(schema, key);
    return known === undefined ? undefined : firstMistyped(known, member, childField(path, key));
  });
}

function typeOf(value: unknown): SchemaType | "null" {
  if (value === null || value === undefined) return "null";
  if (isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "string") return "string";
  return typeof value === "boolean" ? "boolean" : "object";
}

function firstOf<T, R>(list: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of list) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
