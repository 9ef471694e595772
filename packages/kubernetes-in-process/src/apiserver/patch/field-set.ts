import { isJsonObject, objectOf, type JsonObject } from "../schema/json.ts";

/**
 * A set of fields as a tree. The keys are the path elements of FieldsV1: `f:name`, `k:{"name":"a"}`, `v:"x"`;
 * `member` says that the field itself belongs to the set, not only fields below it.
 */
export interface FieldSet {
  readonly member: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
}

export const emptySet: FieldSet = { member: false, children: new Map() };

/** The set of one leaf. */
export const leaf: FieldSet = { member: true, children: new Map() };

/** A set of these children; empty ones are left out. */
export function setOf(member: boolean, children: Iterable<readonly [string, FieldSet]>): FieldSet {
  return { member, children: new Map([...children].filter(([, child]) => !isEmptySet(child))) };
}

/** True when no field is in the set. */
export function isEmptySet({ member, children }: FieldSet): boolean {
  return !member && children.size === 0;
}

/** The fields in either. */
export function unionOfFields(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA || inB);
}

/** The fields in `a` that are not in `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && !inB);
}

/** The fields in both. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && inB);
}

/** True when both hold the same fields. */
export function sameSet(a: FieldSet, b: FieldSet): boolean {
  return isEmptySet(difference(a, b)) && isEmptySet(difference(b, a));
}

/** The set that FieldsV1 spells; members of another form are passed over. */
export function parseFields(fields: unknown): FieldSet {
  if (!isJsonObject(fields)) return emptySet;
  const entries = Object.entries(fields).filter(([key]) => /^[fkvi]:/.test(key));
  return setOf(
    Object.hasOwn(fields, "."),
    entries.map(([key, below]) => [key, parseElement(below)] as const),
  );
}

/** FieldsV1 of a set, in a stable order. */
export function formatFields({ member, children }: FieldSet): JsonObject {
  const below = [...children]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, child]) => [key, formatElement(child)]);
  return objectOf([
    ...(member ? [[".", {}] as const] : []),
    ...below.map(([key, child]) => [String(key), child] as const),
  ]);
}

/** The paths of the members as messages name them, `.spec.containers[name="a"].image`: at each level members come first. */
export function fieldPaths({ children }: FieldSet, path = ""): string[] {
  const sorted = [...children].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const members = sorted.filter(([, child]) => child.member).map(([key]) => path + spokenElement(key));
  return [...members, ...sorted.flatMap(([key, child]) => fieldPaths(child, path + spokenElement(key)))];
}

/** The path element of a named field. */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** An element without anything below it is a leaf and spelled `{}`, so `.` is needed only beside children. */
function parseElement(below: unknown): FieldSet {
  const parsed = parseFields(below);
  return parsed.children.size === 0 ? leaf : parsed;
}

function formatElement(set: FieldSet): JsonObject {
  return set.children.size === 0 ? {} : formatFields(set);
}

function combine(a: FieldSet, b: FieldSet, keep: (inA: boolean, inB: boolean) => boolean): FieldSet {
  const keys = new Set([...a.children.keys(), ...b.children.keys()]);
  const children = [...keys].map(
    (key) => [key, combine(a.children.get(key) ?? emptySet, b.children.get(key) ?? emptySet, keep)] as const,
  );
  return setOf(keep(a.member, b.member), children);
}

function spokenElement(key: string): string {
  const rest = key.slice(2);
  if (key.startsWith("f:")) return `.${rest}`;
  if (key.startsWith("v:")) return `[=${rest}]`;
  if (key.startsWith("i:")) return `[${rest}]`;
  const identity: unknown = JSON.parse(rest);
  const parts = isJsonObject(identity) ? Object.entries(identity).map(([k, v]) => `${k}=${JSON.stringify(v)}`) : [];
  return `[${parts.join(",")}]`;
}
