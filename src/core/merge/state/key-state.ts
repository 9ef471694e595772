import { addPut, addSum, isEmptyCell, newCell, removeSeen, type Cell, type Put } from "./cell.ts";
import type { ElementEffect, KeyEffect, KeyType, Operation } from "../operations/operation.ts";
import { compareTimestamps, type Timestamp } from "../operations/timestamp.ts";
import { NOTHING, covers, withDot, isNothing, type Dot, type VersionVector } from "../operations/version-vector.ts";

/** An operation and its time. */
export interface Stamp {
  readonly dot: Dot;
  readonly at: Timestamp;
}

/** When a key expires, as one site has set it. */
export interface Expiry extends Omit<Put, "value"> {
  /** Milliseconds since 1970; undefined: never. */
  readonly until: number | undefined;
}

/** An operation that ended what the key was: it removed it, or set or took away its time. */
export interface KeyEnd {
  readonly dot: Dot;
  readonly seen: VersionVector;
  /** The time of the key had come at its site. */
  readonly isExpiry: boolean;
}

/** What is known of one key since all sites agreed on it; of a key that nothing is known of there is none. Changed in place. */
export interface KeyState {
  /** The operations that removed or replaced the key; while there is one, nothing that was agreed on counts. */
  clears: VersionVector;
  /** An element that is not named is as all sites agreed on, or empty where that does not count. */
  cells: Partial<Record<KeyType, Map<string, Cell>>>;
  /**
   * The latest write of each type. The key holds the type with the latest of all, and writes of one type that are older
   * than the latest of another one do not count.
   */
  latest: Partial<Record<KeyType, Stamp>>;
  expiries: readonly Expiry[];
  /** False since an expiry was set, or the key was cleared or emptied. */
  baseExpiry: boolean;
  /** The operations that set or removed a time of expiry. */
  timed: VersionVector;
  touched: VersionVector;
  /**
   * The operations that ended the key since all sites agreed; undefined where they are not known: they are not saved, and no other site says
   * them.
   */
  ends: readonly KeyEnd[] | undefined;
}

/** A key with what is known of it. */
export interface KnownKey {
  readonly key: string;
  readonly state: KeyState;
}

/** A key of which only what was agreed on is known, or nothing when one of these operations has removed all keys. */
export function newKey(flushes: VersionVector): KeyState {
  const isThere = isNothing(flushes);
  return {
    clears: flushes,
    cells: {},
    latest: {},
    expiries: [],
    baseExpiry: isThere,
    timed: NOTHING,
    touched: flushes,
    ends: isThere ? [] : undefined,
  };
}

/** Takes an effect of the operation in; the order of concurrent operations makes no difference. */
export function applyEffect(state: KeyState, effect: KeyEffect, operation: Operation): void {
  const { dot, at, seen } = operation;
  state.touched = withDot(state.touched, dot);
  if (!("element" in effect)) end(state, effect, operation);
  switch (effect.kind) {
    case "clear":
      clear(state, operation);
      break;
    case "expire":
      setExpiries(state, dot, [...unseenOf(state.expiries, seen), { dot, at, seen, until: effect.at }]);
      break;
    case "emptied":
      setExpiries(state, dot, unseenOf(state.expiries, seen));
      break;
    case "put":
      addPut(cellFor(state, effect), { dot, at, seen, value: effect.value });
      state.latest[effect.type] = later(state.latest[effect.type], { dot, at });
      break;
    case "add":
      addSum(cellFor(state, effect), { dot, at, amount: effect.amount, seen });
      state.latest[effect.type] = later(state.latest[effect.type], { dot, at });
      break;
    case "remove":
      // it stays, although it is empty: another site may have what the operation removed
      removeSeen(cellFor(state, effect), dot, seen);
      break;
  }
}

/** True while what was agreed on counts: the key was not removed or replaced since, and has not got two types at once. */
export function keepsBase({ clears, latest }: KeyState): boolean {
  if (!isNothing(clears)) return false;
  let types = 0;
  for (const _ in latest) types += 1;
  return types < 2;
}

function cellFor(state: KeyState, { type, element }: ElementEffect): Cell {
  const elements = (state.cells[type] ??= new Map<string, Cell>());
  const known = elements.get(element);
  if (known !== undefined) return known;
  const cell = newCell(keepsBase(state));
  elements.set(element, cell);
  return cell;
}

/** A site removes a key whose time has come, and its time with it. */
function end(state: KeyState, { kind }: KeyEffect, { dot, seen }: Operation): void {
  if (state.ends === undefined) return;
  const others = state.ends.filter((each) => !isSameDot(each.dot, dot));
  const isExpiry = kind === "emptied" && others.length < state.ends.length;
  // the ends of a key that is replaced all the time do not matter
  state.ends = others.length < MOST_ENDS ? [...others, { dot, seen, isExpiry }] : undefined;
}

const MOST_ENDS = 64;

function isSameDot(a: Dot, b: Dot): boolean {
  return a.origin === b.origin && a.seq === b.seq;
}

function clear(state: KeyState, { dot, seen }: Operation): void {
  state.clears = withDot(state.clears, dot);
  for (const elements of Object.values(state.cells))
    for (const [element, cell] of elements) {
      removeSeen(cell, dot, seen);
      if (isEmptyCell(cell)) elements.delete(element);
    }
  state.expiries = unseenOf(state.expiries, seen);
  state.baseExpiry = false;
}

function setExpiries(state: KeyState, dot: Dot, expiries: readonly Expiry[]): void {
  state.expiries = expiries;
  state.baseExpiry = false;
  state.timed = withDot(state.timed, dot);
}

function unseenOf(expiries: readonly Expiry[], seen: VersionVector): readonly Expiry[] {
  return expiries.filter(({ dot }) => !covers(seen, dot));
}

function later(known: Stamp | undefined, next: Stamp): Stamp {
  return known !== undefined && compareTimestamps(next.at, known.at) < 0 ? known : next;
}
