import type { Content } from "./cell.ts";
import type { SomeOfKey } from "../operations/key-part.ts";
import type { KeyView } from "./engine-view.ts";
import { keepsBase, type KeyState } from "./key-state.ts";
import { elementContent, expiresAt, knownElements, knownTypes, typeOf, type ExpiresAt } from "./key-view.ts";
import type { KeyType, Value } from "../operations/operation.ts";

/** A command for the engine; each character of an argument is a byte. */
export type EngineCommand = readonly string[];

/** The commands that bring the key in the engine from what it held to what it has to hold. */
export function writesBetween(key: string, before: KeyView, after: KeyState): readonly EngineCommand[] {
  if (isRewritten(before, after)) return keyWrites(key, after);
  const type = typeOf(after);
  const expires = expiresAt(after);
  const writes = removalsLast(
    [...before.elements].flatMap(([of, elements]) => {
      if (type !== undefined && of !== type) return [];
      return [...elements].flatMap(([element, was]) =>
        elementWrites({ key, type: of, element, expires }, was, elementContent(after, of, element)),
      );
    }),
  );
  return [...writes, ...expiryWrites(key, writes.length > 0 ? "base" : before.expires, expires)];
}

/** True when `writesBetween` writes all that is known of the key. */
export function isRewritten(before: KeyView, after: KeyState): boolean {
  return (before.keepsBase && !keepsBase(after)) || (before.type !== undefined && before.type !== typeOf(after));
}

/** The commands that write the key as it is known, whatever a client has written in the engine meanwhile. */
export function keyWrites(key: string, state: KeyState): readonly EngineCommand[] {
  const values = valuesOf(key, state);
  return keepsBase(state) || replacesAll(values[0]) ? values : [["DEL", key], ...values];
}

/** The commands that write a part of the key as it is known; undefined when the key has another type than the part. */
export function partWrites(
  key: string,
  state: KeyState,
  { elements, hasExpiry }: SomeOfKey,
): readonly EngineCommand[] | undefined {
  const type = typeOf(state);
  if (type !== undefined && elements.some((each) => each.type !== type)) return undefined;
  const expires = expiresAt(state);
  const writes = elements.flatMap(({ type: of, element }) => {
    const is = elementContent(state, of, element);
    return is.kind === "base" ? [] : valueWrites({ key, type: of, element, expires }, is);
  });
  const isWritten = hasExpiry || writes.length > 0;
  return [...removalsLast(writes), ...(isWritten ? expiryWrites(key, "base", expires) : [])];
}

/** True of a command after which nothing is left of what the key held, but for a time of expiry that stays. */
function replacesAll(first: EngineCommand | undefined): boolean {
  return first !== undefined && (first[0] === "DEL" || first[0] === "SET");
}

/** The commands that write a key that is not in the engine, where nothing that was agreed on counts. */
export function valuesOf(key: string, state: KeyState): readonly EngineCommand[] {
  const expires = expiresAt(state);
  const all = (of: KeyType): readonly EngineCommand[] =>
    knownElements(state, of).flatMap((element) => {
      const is = elementContent(state, of, element);
      if (is.kind === "base" || (is.kind === "absent" && !keepsBase(state))) return [];
      return valueWrites({ key, type: of, element, expires }, is);
    });
  return [...removalsLast(shownTypes(state).flatMap(all)), ...expiryWrites(key, "base", expires)];
}

/** Puts removals last: a key that is empty for a moment loses its time of expiry. */
function removalsLast(writes: readonly EngineCommand[]): readonly EngineCommand[] {
  const removes = ([name = ""]: EngineCommand): boolean => name === "HDEL" || name === "SREM" || name === "ZREM";
  return writes.length < 2 ? writes : [...writes.filter((write) => !removes(write)), ...writes.filter(removes)];
}

/** The type that the key has; those of which elements were removed while its type is only what was agreed on. */
function shownTypes(state: KeyState): readonly KeyType[] {
  const type = typeOf(state);
  return type === undefined ? knownTypes(state) : [type];
}

interface Target {
  readonly key: string;
  readonly type: KeyType;
  readonly element: string;
  readonly expires: ExpiresAt;
}

function elementWrites(target: Target, was: Content, is: Content): readonly EngineCommand[] {
  if (is.kind !== "base") return isSame(was, is) ? [] : valueWrites(target, is);
  const before = was.kind === "base" ? was : { plus: 0n, increments: 0 };
  // an increment by 0 makes an element too
  return is.increments === before.increments ? [] : [increment(target, is.plus - before.plus)];
}

function isSame(a: Content, b: Content): boolean {
  if (a.kind !== "value" || b.kind !== "value") return a.kind === b.kind && a.kind === "absent";
  return a.plus === b.plus && (a.value === b.value || JSON.stringify(a.value) === JSON.stringify(b.value));
}

function valueWrites(target: Target, is: Exclude<Content, { kind: "base" }>): readonly EngineCommand[] {
  const { key, type, element, expires } = target;
  if (is.kind === "absent") return [REMOVE[type](key, element)];
  const value = valueOfContent(type, is);
  if (typeof value !== "string") return listWrites(key, value);
  switch (type) {
    case "string":
      // without an option, SET takes the expiry away
      return [["SET", key, value, ...(expires === "base" ? ["KEEPTTL"] : [])]];
    case "hash":
      return [["HSET", key, element, value]];
    case "set":
      return [["SADD", key, element]];
    case "zset":
      return [["ZADD", key, value, element]];
    case "list":
      return listWrites(key, [value]);
  }
}

const REMOVE: Readonly<Record<KeyType, (key: string, element: string) => EngineCommand>> = {
  string: (key) => ["DEL", key],
  list: (key) => ["DEL", key],
  hash: (key, element) => ["HDEL", key, element],
  set: (key, element) => ["SREM", key, element],
  zset: (key, element) => ["ZREM", key, element],
};

/** Elements of a list in one command. */
const LIST_PART = 1_000;

function listWrites(key: string, elements: readonly string[]): readonly EngineCommand[] {
  const parts = Array.from({ length: Math.ceil(elements.length / LIST_PART) }, (_, part) =>
    elements.slice(part * LIST_PART, (part + 1) * LIST_PART),
  );
  return [["DEL", key], ...parts.map((part) => ["RPUSH", key, ...part])];
}

function increment({ key, type, element }: Target, by: bigint): EngineCommand {
  switch (type) {
    case "hash":
      return ["HINCRBY", key, element, String(by)];
    case "zset":
      return ["ZINCRBY", key, String(by), element];
    case "string":
    case "list":
    case "set":
      return ["INCRBY", key, String(by)];
  }
}

const [LOWEST, HIGHEST] = [-(2n ** 63n), 2n ** 63n - 1n];

/** What an element of this type holds by its content. */
export function valueOfContent(type: KeyType, { value, plus }: Extract<Content, { readonly kind: "value" }>): Value {
  return plus === 0n ? value : addAmount(type, value, plus);
}

/** A value with an amount on top: integers stay within 64 bits, as engines have them. */
export function addAmount(type: KeyType, value: Value, plus: bigint): Value {
  if (typeof value !== "string") return value;
  // an infinite score stays
  if (type === "zset") return Number.isNaN(Number(value)) ? value : String(Number(value) + Number(plus));
  if (!/^-?\d{1,19}$/.test(value)) return value;
  const sum = BigInt(value) + plus;
  return String(sum < LOWEST ? LOWEST : sum > HIGHEST ? HIGHEST : sum);
}

/** The bound of 64 bits that the sum of an increment of an integer cannot pass; undefined of another command. */
export function overflowBound(command: EngineCommand): string | undefined {
  const [name] = command;
  if (name !== "INCRBY" && name !== "HINCRBY") return undefined;
  return String(BigInt(command.at(-1) ?? "") < 0n ? LOWEST : HIGHEST);
}

function expiryWrites(key: string, was: ExpiresAt, is: ExpiresAt): readonly EngineCommand[] {
  if (was === is || is === "base") return [];
  return [is === undefined ? ["PERSIST", key] : ["PEXPIREAT", key, String(is)]];
}
