import { isArray, isJsonObject, type JsonObject } from "./json.ts";
import { memberSchema, type Schema } from "./schema.ts";

/**
 * `value` with the schema's defaults filled in, level by level: the members of an absent object are defaulted only when
 * the object itself has a default. A null that the schema does not allow gives way to the default. `value` is not changed.
 */
export function applyDefaults(schema: Schema, value: unknown): unknown {
  if (isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => applyDefaults(items, item));
  }
  return isJsonObject(value) ? defaultedObject(schema, value) : value;
}

function defaultedObject(schema: Schema, value: JsonObject): JsonObject {
  const named = schema.properties ?? {};
  const given = Object.entries(value).filter(([key, item]) => !givesWay(memberSchema(schema, key), item));
  const present = new Set(given.map(([key]) => key));
  const missing = Object.entries(named).filter(([key, one]) => one.default !== undefined && !present.has(key));
  return Object.fromEntries([
    ...given.map(([key, item]) => [key, defaultedMember(memberSchema(schema, key), item)] as const),
    ...missing.map(([key, one]) => [key, applyDefaults(one, structuredClone(one.default))] as const),
  ]);
}

function givesWay(schema: Schema | undefined, item: unknown): boolean {
  return item === undefined || (item === null && schema?.default !== undefined && schema.nullable !== true);
}

function defaultedMember(schema: Schema | undefined, item: unknown): unknown {
  return schema === undefined ? item : applyDefaults(schema, item);
}
