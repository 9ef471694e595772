import { childField } from "./cause.ts";
import { isArray, isJsonObject, objectOf, type JsonObject } from "./json.ts";
import { memberSchema, type Schema } from "./schema.ts";

/** The rest of a value, and the paths of the fields that its schema does not know. */
export interface Pruned {
  readonly value: unknown;
  /** As strict decoding names them: `spec.nope`, `spec.items[0].nope`. */
  readonly dropped: readonly string[];
}

const EMBEDDED = ["apiVersion", "kind", "metadata"];

/** `value` without the fields that the schema does not specify, unless it preserves unknown ones. */
export function pruneUnknown(schema: Schema, value: unknown, path = ""): Pruned {
  const dropped: string[] = [];
  return { value: prune(schema, value, path, dropped), dropped };
}

function prune(schema: Schema, value: unknown, path: string, dropped: string[]): unknown {
  if (isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item, i) => prune(items, item, `${path}[${i}]`, dropped));
  }
  if (!isJsonObject(value)) return value;
  return objectOf(keptMembers(schema, value, path, dropped));
}

function* keptMembers(
  schema: Schema,
  value: JsonObject,
  path: string,
  dropped: string[],
): Generator<readonly [string, unknown]> {
  for (const [key, item] of Object.entries(value)) {
    const field = childField(path, key);
    const known = memberSchema(schema, key);
    if (known !== undefined) yield [key, prune(known, item, field, dropped)];
    else if (allowsUnknown(schema) || isEmbedded(schema, key)) yield [key, item];
    else dropped.push(field);
  }
}

/** A schema that names no members and no type says nothing about them either: raw JSON. */
function allowsUnknown(schema: Schema): boolean {
  if (schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true) return true;
  return schema.type === undefined && schema.properties === undefined;
}

function isEmbedded(schema: Schema, key: string): boolean {
  return schema["x-kubernetes-embedded-resource"] === true && EMBEDDED.includes(key);
}
