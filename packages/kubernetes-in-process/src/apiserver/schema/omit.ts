import { isArray, isJsonObject, type JsonObject } from "./json.ts";
import { memberSchema, type Schema } from "./schema.ts";

/**
 * A value of a built-in kind without what such kinds do not store: null members, and empty lists and empty maps of free
 * keys where they are optional. Custom resources keep them.
 */
export function omitEmpty(schema: Schema, value: unknown): unknown {
  if (isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => omitEmpty(items, item));
  }
  return isJsonObject(value) ? omitMembers(schema, value) : value;
}

function omitMembers(schema: Schema, value: JsonObject): JsonObject {
  const members = Object.entries(value).map(([key, item]) => {
    const known = memberSchema(schema, key);
    return [key, known === undefined ? item : omitEmpty(known, item)] as const;
  });
  return Object.fromEntries(members.filter(([key, item]) => !isOmitted(schema, key, item)));
}

function isOmitted(schema: Schema, key: string, item: unknown): boolean {
  if (item === null) return true;
  if (schema.properties === undefined || schema.required?.includes(key) === true) return false;
  if (isArray(item)) return item.length === 0;
  const free = typeof memberSchema(schema, key)?.additionalProperties === "object";
  return free && isJsonObject(item) && Object.keys(item).length === 0;
}
