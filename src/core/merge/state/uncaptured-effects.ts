import { contentOf, type Cell, type Sum } from "./cell.ts";
import { addAmount, valueOfContent } from "./engine-writes.ts";
import { effectsOfHeld, isSameValue, type HeldKey } from "./held-key.ts";
import { expiresAt, elementContent, entries, knownElements, knownTypes } from "./key-view.ts";
import type { KeyState } from "./key-state.ts";
import type { Effect, KeyType, Value } from "../operations/operation.ts";
import { NOTHING, covers, coversAll, type VersionVector } from "../operations/version-vector.ts";

/** A key at one site, at one place of its stream: no operation on it is under way. */
export interface KeyAt {
  readonly held: HeldKey;
  readonly state: KeyState;
  /** What of it is in both. */
  readonly received: VersionVector;
}

/**
 * What clients did to a key and its site has not captured, since that part of the stream is gone: found by what the engine holds beyond what is
 * known. Without another site, it covers elements of which more is known than what was agreed on; only another site can tell what was agreed on,
 * and `there` covers only the other elements. A value that has come there meanwhile replaces the one here.
 */
export function uncapturedEffects(key: string, here: KeyAt, there?: KeyAt): readonly Effect[] {
  const found = elementsOf(here, there).flatMap(({ type, element }): readonly Difference[] => {
    const is = type === here.held.type ? here.held.elements.get(element) : undefined;
    const want = wantedOf({ type, element }, here, there);
    return want === undefined || isSameValue(type, is, want.value) ? [] : [{ type, element, is, was: want.value }];
  });
  if (isWhole(here, there, found)) return effectsOfHeld(key, here.held);
  return [...found.map((each) => effectOf(key, each)), ...expiryEffects(key, here, there)];
}

/** The key has taken the place of what was there: another type, a string, or nothing at all, its time of expiry included. */
function isWhole({ held }: KeyAt, there: KeyAt | undefined, found: readonly Difference[]): boolean {
  if (held.type === undefined || found.length === 0) return false;
  if (found.some(({ type, was }) => type !== held.type && was !== undefined)) return true;
  if (held.type === "string") return found.some((each) => each.is !== undefined && countedBy(each) === undefined);
  return there !== undefined && there.held.type === undefined && found.length === held.elements.size;
}

interface Named {
  readonly type: KeyType;
  readonly element: string;
}

interface Difference extends Named {
  readonly is: Value | undefined;
  /** Undefined: it was not there. */
  readonly was: Value | undefined;
}

function elementsOf({ held, state }: KeyAt, there: KeyAt | undefined): readonly Named[] {
  const names = new Map<string, Named>();
  const add = (type: KeyType, elements: Iterable<string>): void => {
    for (const element of elements) names.set(`${type} ${element}`, { type, element });
  };
  for (const each of [held, there?.held]) if (each?.type !== undefined) add(each.type, each.elements.keys());
  for (const type of knownTypes(state)) add(type, knownElements(state, type));
  return [...names.values()];
}

/** What the element would hold with nothing but what was captured; undefined when that is not to be told. */
function wantedOf(
  { type, element }: Named,
  here: KeyAt,
  there: KeyAt | undefined,
): { readonly value: Value | undefined } | undefined {
  const content = elementContent(here.state, type, element);
  if (content.kind === "base") return there && wantedBy({ type, element }, here, there);
  if (there !== undefined) return undefined;
  if (content.kind === "absent") return { value: undefined };
  return { value: valueOfContent(type, content) };
}

/** By what another site holds, without the increments that it has alone, and with those that are here alone. */
function wantedBy({ type, element }: Named, here: KeyAt, there: KeyAt): ReturnType<typeof wantedOf> {
  const cell = there.state.cells[type]?.get(element);
  if (!hasSeenWrites(here, there, type, cell)) return undefined;
  const value = there.held.type === type ? there.held.elements.get(element) : undefined;
  const own = (here.state.cells[type]?.get(element)?.sums ?? []).filter(({ dot }) => !covers(there.received, dot));
  const others = countedSums(cell).filter(({ dot }) => !covers(here.received, dot));
  if (own.length + others.length === 0) return { value };
  const plus = total(own) - total(others);
  // all that is there may be theirs alone
  if (own.length === 0 && String(value) === String(-plus))
    return { value: here.held.elements.get(element) === "0" ? "0" : undefined };
  return { value: addAmount(type, value ?? "0", plus) };
}

/** This site knows of each write that has replaced what the element held. */
function hasSeenWrites({ received }: KeyAt, { state }: KeyAt, type: KeyType, cell: Cell | undefined): boolean {
  const isOther = ([of, { dot }]: ReturnType<
    typeof entries<NonNullable<KeyState["latest"][KeyType]>>
  >[number]): boolean => of !== type && !covers(received, dot);
  return (
    coversAll(received, state.clears) &&
    coversAll(received, cell?.writes ?? NOTHING) &&
    !entries(state.latest).some(isOther)
  );
}

function countedSums(cell: Cell | undefined): readonly Sum[] {
  if (cell === undefined) return [];
  const content = contentOf(cell);
  const put = content.kind === "value" ? content.put : undefined;
  return put === undefined ? cell.sums : cell.sums.filter(({ seen }) => covers(seen, put));
}

function effectOf(key: string, difference: Difference): Effect {
  const { type, element, is } = difference;
  const by = countedBy(difference);
  if (by !== undefined) return { kind: "add", type, key, element, amount: by };
  if (is !== undefined) return { kind: "put", type, key, element, value: is };
  return type === "string" || type === "list" ? { kind: "clear", key } : { kind: "remove", type, key, element };
}

/** By how much it was incremented: a number in the place of another one counts as that, so that increments of other sites stay. */
function countedBy({ type, is, was }: Difference): bigint | undefined {
  return COUNTERS.has(type) && isInteger(is) && isInteger(was) ? BigInt(is) - BigInt(was) : undefined;
}

function expiryEffects(key: string, { held, state, received }: KeyAt, there: KeyAt | undefined): readonly Effect[] {
  const known = expiresAt(state);
  if ((known === "base") !== (there !== undefined)) return [];
  const wanted = known === "base" ? there?.held.until : known;
  if (held.type === undefined) return wanted === undefined ? [] : [{ kind: "emptied", key }];
  const isComparable =
    there === undefined ||
    (there.held.type !== undefined &&
      coversAll(received, there.state.timed) &&
      coversAll(received, there.state.clears));
  return !isComparable || wanted === held.until ? [] : [{ kind: "expire", key, at: held.until }];
}

const COUNTERS: ReadonlySet<KeyType> = new Set(["string", "hash", "zset"]);

function isInteger(value: Value | undefined): value is string {
  return typeof value === "string" && /^(0|-?[1-9]\d{0,17})$/.test(value);
}

function total(sums: readonly Sum[]): bigint {
  return sums.reduce((all, { amount }) => all + amount, 0n);
}
