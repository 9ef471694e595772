import { isArray, isJsonObject, member, objectOf, sameJson, type JsonObject } from "../schema/json.ts";
import { memberSchema, type Schema } from "../schema/schema.ts";
import type { PatchOutcome } from "./outcome.ts";

const DIRECTIVE = "$patch";
const RETAIN = "$retainKeys";
const ORDER = "$setElementOrder/";
const DELETE_ITEMS = "$deleteFromPrimitiveList/";

/**
 * Strategic merge patch: like a merge patch, but lists whose schema says so are merged by key, and directives delete,
 * replace, keep or order. Neither argument is changed.
 */
export function applyStrategicPatch(object: JsonObject, patch: JsonObject, schema: Schema): PatchOutcome {
  const problems: string[] = [];
  const patched = patchObject(object, patch, schema, problems);
  const [message] = problems;
  return message === undefined ? { kind: "patched", object: patched } : { kind: "failed", why: "malformed", message };
}

function patchObject(
  current: JsonObject,
  patch: JsonObject,
  schema: Schema | undefined,
  problems: string[],
): JsonObject {
  const directive = member(patch, DIRECTIVE);
  if (directive === "delete") return {};
  if (directive === "replace") return withoutDirectives(patch);
  if (directive !== undefined && directive !== "merge") problems.push(`unknown patch type: ${String(directive)}`);
  const kept = retainKeys(current, patch, problems);
  const changes = new Map(Object.entries(patch).filter(([key]) => !isDirective(key)));
  const touched = new Set([...changes.keys(), ...listDirectives(patch)]);
  return objectOf([
    ...Object.entries(kept).filter(([key]) => !touched.has(key)),
    ...[...touched]
      .map((key) => [key, patchMember(kept, patch, key, memberSchema(schema, key), problems)] as const)
      .filter(([, value]) => value !== undefined),
  ]);
}

/** The member after the patch; undefined when it goes. */
function patchMember(
  current: JsonObject,
  patch: JsonObject,
  key: string,
  schema: Schema | undefined,
  problems: string[],
): unknown {
  const value = member(current, key);
  const change = member(patch, key);
  if (change === null) return undefined;
  if (isJsonObject(change)) {
    const merges = isJsonObject(value) && !strategyOf(schema).includes("replace");
    return merges ? patchObject(value, change, schema, problems) : withoutDirectives(change);
  }
  if (change !== undefined && !isArray(change)) return change;
  const directives = { order: member(patch, ORDER + key), dropped: member(patch, DELETE_ITEMS + key) };
  return patchListMember(value, change, directives, schema, problems);
}

/** A list after the patch, which names its items or only orders and thins out those that are there; undefined when there is none. */
function patchListMember(
  value: unknown,
  change: readonly unknown[] | undefined,
  { order, dropped }: { readonly order: unknown; readonly dropped: unknown },
  schema: Schema | undefined,
  problems: string[],
): unknown {
  if (change !== undefined && !strategyOf(schema).includes("merge")) return change;
  if (value !== undefined && !isArray(value)) return change ?? value;
  if (value === undefined && change === undefined) return undefined;
  const merged = patchList(value ?? [], change ?? [], schema, problems).filter(
    (item) => !(isArray(dropped) && dropped.some((one) => sameJson(one, item))),
  );
  return isArray(order) ? orderItems(value ?? [], merged, order, mergeKeyOf(schema)) : merged;
}

/** The items of the patch come in its order, the others as early as the order of the list allows. */
function patchList(
  current: readonly unknown[],
  changes: readonly unknown[],
  schema: Schema | undefined,
  problems: string[],
): readonly unknown[] {
  const key = mergeKeyOf(schema);
  if (key === undefined) {
    const added = changes.filter((one) => !current.some((item) => sameJson(item, one)));
    return orderItems(current, [...current, ...added], changes, key);
  }
  const items = changes.filter(isJsonObject);
  const plainItems = items.filter((item) => item[DIRECTIVE] === undefined);
  if (items.some((item) => item[DIRECTIVE] === "replace")) return plainItems.map(withoutDirectives);
  const applyItems = (list: readonly unknown[], some: readonly JsonObject[]): readonly unknown[] =>
    some.reduce((result, item) => patchItem(result, item, key, schema, problems), list);
  // deletions come first, so that a patch can replace an item whole
  const remaining = applyItems(
    current,
    items.filter((item) => item[DIRECTIVE] !== undefined),
  );
  return orderItems(remaining, applyItems(remaining, plainItems), plainItems, key);
}

function patchItem(
  list: readonly unknown[],
  change: JsonObject,
  key: string,
  schema: Schema | undefined,
  problems: string[],
): readonly unknown[] {
  if (member(change, key) === undefined) {
    problems.push(`map: ${JSON.stringify(change)} does not contain declared merge key: ${key}`);
    return list;
  }
  const same = (item: unknown): item is JsonObject => isJsonObject(item) && sameJson(member(item, key), change[key]);
  if (change[DIRECTIVE] === "delete") return list.filter((item) => !same(item));
  if (!list.some(same)) return [...list, withoutDirectives(change)];
  return list.map((item) => (same(item) ? patchObject(item, change, schema?.items, problems) : item));
}

function orderItems(
  before: readonly unknown[],
  merged: readonly unknown[],
  order: readonly unknown[],
  key: string | undefined,
): readonly unknown[] {
  const idOf = (item: unknown): string =>
    JSON.stringify(key !== undefined && isJsonObject(item) ? member(item, key) : item) ?? "";
  const byId = new Map(merged.map((item) => [idOf(item), item]));
  const wanted = order.map(idOf).filter((id) => byId.has(id));
  const live = before.map(idOf).filter((id) => byId.has(id));
  const unordered = [...byId.keys()].filter((id) => !wanted.includes(id) && !live.includes(id));
  return [...mergedOrder(live, wanted), ...unordered].map((id) => byId.get(id));
}

/** Every item once: `wanted` in its own order, the items that only `live` has still before the one they preceded. */
function mergedOrder(live: readonly string[], wanted: readonly string[]): readonly string[] {
  const order: string[] = [];
  const asked = new Set(wanted);
  let rest = live;
  for (const element of wanted) {
    const at = rest.indexOf(element);
    for (const one of rest.slice(0, at + 1)) if (!asked.has(one)) order.push(one);
    order.push(element);
    rest = rest.slice(at + 1);
  }
  return [...order, ...rest.filter((one) => !asked.has(one))];
}

function retainKeys(current: JsonObject, patch: JsonObject, problems: string[]): JsonObject {
  const keys = member(patch, RETAIN);
  if (keys === undefined) return current;
  const retain = isArray(keys) ? keys : [];
  const stray = Object.keys(patch).find((key) => !isDirective(key) && !retain.includes(key) && patch[key] !== null);
  if (stray !== undefined) problems.push(`${RETAIN} does not name ${stray}, which the patch sets`);
  return objectOf(Object.entries(current).filter(([key]) => retain.includes(key)));
}

/** The lists that are only ordered or thinned out by this patch. */
function listDirectives(patch: JsonObject): string[] {
  return Object.keys(patch)
    .filter((key) => key.startsWith(ORDER) || key.startsWith(DELETE_ITEMS))
    .map((key) => key.slice(key.indexOf("/") + 1));
}

/** What a patch adds where nothing was: its directives and nulls have nothing to act on. */
function withoutDirectives(value: JsonObject): JsonObject {
  return objectOf(
    Object.entries(value)
      .filter(([key, item]) => !isDirective(key) && item !== null)
      .map(([key, item]) => [key, plain(item)] as const),
  );
}

function plain(value: unknown): unknown {
  if (isArray(value)) return value.filter((item) => !isJsonObject(item) || item[DIRECTIVE] === undefined).map(plain);
  return isJsonObject(value) ? withoutDirectives(value) : value;
}

function isDirective(key: string): boolean {
  return key === DIRECTIVE || key === RETAIN || key.startsWith(ORDER) || key.startsWith(DELETE_ITEMS);
}

function strategyOf(schema: Schema | undefined): readonly string[] {
  return schema?.["x-kubernetes-patch-strategy"]?.split(",") ?? [];
}

function mergeKeyOf(schema: Schema | undefined): string | undefined {
  return schema?.["x-kubernetes-patch-merge-key"];
}
