import { isArray, isJsonObject, member, type JsonObject } from "../schema/json.ts";
import type { Schema } from "../schema/schema.ts";

/** How writers share a value: a `leaf` has one owner, the members of the others have owners of their own. */
export type Relationship =
  | { readonly kind: "leaf" }
  | { readonly kind: "members" }
  | { readonly kind: "set" }
  | { readonly kind: "map"; readonly keys: readonly string[] };

const LEAF: Relationship = { kind: "leaf" };

/** How `value` is shared, by its schema; below fields that the schema leaves open, objects are shared member by member. */
export function relationshipOf(schema: Schema | undefined, value: unknown): Relationship {
  if (isJsonObject(value)) return sharesMembers(schema) ? { kind: "members" } : LEAF;
  return isArray(value) ? listRelationship(schema) : LEAF;
}

/** How a list is shared: by `x-kubernetes-list-type`, else by the strategic merge keywords, else as one leaf. */
function listRelationship(schema: Schema | undefined): Relationship {
  const type = schema?.["x-kubernetes-list-type"];
  const mergeKey = schema?.["x-kubernetes-patch-merge-key"];
  const merges = schema?.["x-kubernetes-patch-strategy"]?.split(",").includes("merge") ?? false;
  if (type === "map") return { kind: "map", keys: schema?.["x-kubernetes-list-map-keys"] ?? [] };
  if (type === "set") return { kind: "set" };
  if (type !== undefined || !merges) return LEAF;
  return mergeKey === undefined ? { kind: "set" } : { kind: "map", keys: [mergeKey] };
}

/** The path elements of the items of a shared list, in order; undefined when two items or none of the keys tell them apart. */
export function itemElements(
  relationship: Relationship,
  schema: Schema | undefined,
  items: readonly unknown[],
): readonly string[] | undefined {
  const elements = items.map((item) =>
    relationship.kind === "map" ? keyElement(relationship.keys, schema, item) : `v:${JSON.stringify(item)}`,
  );
  const known = elements.filter((element) => element !== undefined);
  return known.length === items.length && new Set(known).size === known.length ? known : undefined;
}

/**
 * The order of a shared list after an apply: `applied` in its own order, and what only `live` has as early as the order
 * of the items that both have allows.
 */
export function appliedOrder(live: readonly string[], applied: readonly string[]): readonly string[] {
  const wanted = new Set(applied);
  const shared = applied.filter((element) => live.includes(element));
  const order: string[] = [];
  let next = 0; // of live
  for (const element of applied) {
    for (; next < live.length; next++) {
      const candidate = live[next] ?? "";
      if (!wanted.has(candidate)) order.push(candidate);
      else if (candidate === shared[0]) break;
    }
    if (element === shared[0]) shared.shift();
    order.push(element);
  }
  return [...order, ...live.slice(next).filter((element) => !wanted.has(element))];
}

function sharesMembers(schema: Schema | undefined): boolean {
  if (schema === undefined) return true;
  if (schema["x-kubernetes-map-type"] === "atomic") return false;
  if (schema.properties !== undefined || schema.additionalProperties !== undefined) return true;
  return schema["x-kubernetes-preserve-unknown-fields"] === true;
}

function keyElement(keys: readonly string[], schema: Schema | undefined, item: unknown): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const named = keys.toSorted().map((key) => [key, keyValue(item, key, schema)] as const);
  const given = named.filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : `k:${JSON.stringify(Object.fromEntries(given))}`;
}

function keyValue(item: JsonObject, key: string, schema: Schema | undefined): unknown {
  return member(item, key) ?? schema?.items?.properties?.[key]?.default;
}
