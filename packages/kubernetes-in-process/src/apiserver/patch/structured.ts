import { isArray, isJsonObject, member, objectOf, sameJson } from "../schema/json.ts";
import { memberSchema, type Schema } from "../schema/schema.ts";
import { emptySet, fieldElement, leaf, setOf, type FieldSet } from "./field-set.ts";
import { appliedOrder, itemElements, relationshipOf } from "./relationship.ts";

/** A member of a shared value, by its path element. */
interface Part {
  readonly element: string;
  readonly value: unknown;
  readonly schema: Schema | undefined;
  /** False for list items and for the entries of free maps: they are owned themselves, not only through their members. */
  readonly named: boolean;
}

/** The parts that have owners of their own; undefined for a value that is owned as a whole. */
function ownedParts(schema: Schema | undefined, value: unknown): readonly Part[] | undefined {
  const relationship = relationshipOf(schema, value);
  if (relationship.kind === "leaf") return undefined;
  if (isJsonObject(value)) return Object.entries(value).map(([key, item]) => memberPart(schema, key, item));
  if (!isArray(value)) return undefined;
  const elements = itemElements(relationship, schema, value);
  return elements?.map((element, i) => ({ element, value: value[i], schema: schema?.items, named: false }));
}

/** The fields that an applied configuration speaks of. */
export function fieldsOf(schema: Schema | undefined, value: unknown): FieldSet {
  const parts = ownedParts(schema, value);
  if (parts === undefined) return leaf;
  return setOf(
    false,
    parts.map((part) => {
      const below = fieldsOf(part.schema, part.value);
      return [part.element, part.named && !isHollow(part.value) ? below : { ...below, member: true }] as const;
    }),
  );
}

/** What differs between two states of a value: `changed` is added or modified, `removed` is gone. */
export interface FieldComparison {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

const NO_DIFFERENCE: FieldComparison = { changed: emptySet, removed: emptySet };

/** Compares field by field; undefined stands for absent. */
export function compareFields(schema: Schema | undefined, before: unknown, after: unknown): FieldComparison {
  if (before === after) return NO_DIFFERENCE;
  if (isHollow(before ?? {}) && isHollow(after ?? {})) return leafComparison(before, after);
  const left = before === undefined ? [] : ownedParts(schema, before);
  const right = after === undefined ? [] : ownedParts(schema, after);
  if (left === undefined || right === undefined || isArray(before ?? after) !== isArray(after ?? before)) {
    return leafComparison(before, after);
  }
  const here = { changed: before === undefined, removed: after === undefined };
  const earlier = new Map(left.map((part) => [part.element, part]));
  const later = new Map(right.map((part) => [part.element, part]));
  const below = [...new Set([...earlier.keys(), ...later.keys()])].map((element) => {
    const [was, is] = [earlier.get(element), later.get(element)];
    return [element, compareFields((is ?? was)?.schema, was?.value, is?.value)] as const;
  });
  return {
    changed: setOf(
      here.changed,
      below.map(([element, found]) => [element, found.changed] as const),
    ),
    removed: setOf(
      here.removed,
      below.map(([element, found]) => [element, found.removed] as const),
    ),
  };
}

/** `live` with everything that `applied` says: objects and shared lists merged, everything else replaced. */
export function mergeApplied(schema: Schema | undefined, live: unknown, applied: unknown): unknown {
  const wanted = ownedParts(schema, applied);
  const current = ownedParts(schema, live);
  if (wanted === undefined || current === undefined || isArray(live) !== isArray(applied)) return applied;
  const liveValues = new Map(current.map((part) => [part.element, part.value]));
  const merged = new Map(
    wanted.map((part) => [part.element, mergeApplied(part.schema, liveValues.get(part.element), part.value)]),
  );
  const result = (element: string): unknown => (merged.has(element) ? merged : liveValues).get(element);
  if (isArray(applied)) return appliedOrder(elementsOf(current), elementsOf(wanted)).map(result);
  const kept = current.map(({ element }) => [nameOf(element), result(element)] as const);
  const added = wanted.filter(({ element }) => !liveValues.has(element));
  return objectOf([...kept, ...added.map(({ element }) => [nameOf(element), merged.get(element)] as const)]);
}

/** `value` without the members of `fields`. */
export function removeFields(schema: Schema | undefined, value: unknown, fields: FieldSet): unknown {
  const parts = ownedParts(schema, value);
  if (parts === undefined || fields.children.size === 0) return value;
  const kept = parts
    .filter(({ element }) => fields.children.get(element)?.member !== true)
    .map(
      (part) =>
        [part.element, removeFields(part.schema, part.value, fields.children.get(part.element) ?? emptySet)] as const,
    );
  if (isArray(value)) return kept.map(([, item]) => item);
  return objectOf(kept.map(([element, item]) => [nameOf(element), item] as const));
}

/** The set with every named field on the way to a member as a member too: `spec` of `spec.replicas`. */
export function withNamedParents(schema: Schema | undefined, fields: FieldSet): FieldSet {
  return setOf(
    fields.member,
    [...fields.children].map(([element, below]) => {
      const isField = element.startsWith("f:");
      const name = nameOf(element);
      const closed = withNamedParents(isField ? memberSchema(schema, name) : schema?.items, below);
      return [element, isField && isNamed(schema, name) ? { ...closed, member: true } : closed] as const;
    }),
  );
}

function memberPart(schema: Schema | undefined, key: string, value: unknown): Part {
  return { element: fieldElement(key), value, schema: memberSchema(schema, key), named: isNamed(schema, key) };
}

function isNamed(schema: Schema | undefined, key: string): boolean {
  return schema?.properties !== undefined && member(schema.properties, key) !== undefined;
}

function nameOf(element: string): string {
  return element.slice(2);
}

/** Null and the empty object: nothing below them could be owned. */
function isHollow(value: unknown): boolean {
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0);
}

function leafComparison(before: unknown, after: unknown): FieldComparison {
  if (after === undefined) return { changed: emptySet, removed: leaf };
  return sameJson(before, after) ? NO_DIFFERENCE : { changed: leaf, removed: emptySet };
}

function elementsOf(parts: readonly Part[]): string[] {
  return parts.map(({ element }) => element);
}
