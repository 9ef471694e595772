import { AGREED, EMPTY, withPut, withRemoval, withSum } from "./cell.ts";
import type { Cell, Put } from "./cell.ts";
import type { Effect, KeyType, Operation } from "./operation.ts";
import { compareTimestamps, type Timestamp } from "./timestamp.ts";
import { covers, including, type Dot, type VersionVector } from "./version-vector.ts";

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

type Elements = ReadonlyMap<string, Cell>;

/** What is known of one key since all sites agreed on it; of a key that nothing is known of there is none. */
export interface KeyState {
  /** The operations that removed or replaced the key; while there is one, nothing that was agreed on counts. */
  readonly clears: VersionVector;
  readonly cells: Readonly<Partial<Record<KeyType, Elements>>>;
  /**
   * The latest write of each type. The key holds the type with the latest of all, and writes of one type that are older
   * than the latest of another one do not count.
   */
  readonly latest: Readonly<Partial<Record<KeyType, Stamp>>>;
  readonly expiries: readonly Expiry[];
  /** False since an expiry was set or the key was cleared. */
  readonly baseExpiry: boolean;
  readonly touched: VersionVector;
}

/** A key of which only what was agreed on is known. */
export const AGREED_KEY: KeyState = {
  ...{ clears: {}, cells: {}, latest: {}, expiries: [], baseExpiry: true, touched: {} },
};

/** The key after an effect of the operation; the order of concurrent operations makes no difference. */
export function withEffect(state: KeyState, effect: Effect, operation: Operation): KeyState {
  const { dot, at, seen } = operation;
  const touched = including(state.touched, dot);
  switch (effect.kind) {
    case "clear":
      return { ...cleared(state, operation), touched };
    case "expire": {
      const expiry = { dot, at, seen, until: effect.at };
      return { ...state, expiries: [...unseenOf(state.expiries, seen), expiry], baseExpiry: false, touched };
    }
    case "put":
    case "add":
    case "remove": {
      const cell = changedCell(cellOf(state, effect.type, effect.element), effect, operation);
      const elements = new Map(state.cells[effect.type]).set(effect.element, cell);
      const cells = { ...state.cells, [effect.type]: elements };
      if (effect.kind === "remove") return { ...state, cells, touched };
      const latest = { ...state.latest, [effect.type]: later(state.latest[effect.type], { dot, at }) };
      return { ...state, cells, latest, touched };
    }
  }
}

function changedCell(
  cell: Cell,
  effect: Extract<Effect, { kind: "put" | "add" | "remove" }>,
  { dot, at, seen }: Operation,
): Cell {
  switch (effect.kind) {
    case "put":
      return withPut(cell, { dot, at, seen, value: effect.value }, seen);
    case "add":
      return withSum(cell, { dot, at, amount: effect.amount, seen });
    case "remove":
      return withRemoval(cell, dot, seen);
  }
}

function cleared(state: KeyState, { dot, seen }: Operation): KeyState {
  const emptied = (elements: Elements): Elements =>
    new Map([...elements].map(([element, cell]) => [element, withRemoval(cell, dot, seen)]));
  const cells = Object.entries(state.cells).map(([type, elements]) => [type, emptied(elements)]);
  return {
    ...state,
    clears: including(state.clears, dot),
    cells: Object.fromEntries(cells),
    expiries: unseenOf(state.expiries, seen),
    baseExpiry: false,
  };
}

function unseenOf(expiries: readonly Expiry[], seen: VersionVector): readonly Expiry[] {
  return expiries.filter(({ dot }) => !covers(seen, dot));
}

function later(known: Stamp | undefined, next: Stamp): Stamp {
  return known !== undefined && compareTimestamps(next.at, known.at) < 0 ? known : next;
}

/** What is known of an element. */
export function cellOf(state: KeyState, type: KeyType, element: string): Cell {
  return state.cells[type]?.get(element) ?? (keepsBase(state) ? AGREED : EMPTY);
}

/** True while what was agreed on counts: the key was not removed or replaced since, and has not got two types at once. */
export function keepsBase({ clears, latest }: KeyState): boolean {
  return Object.keys(clears).length === 0 && Object.keys(latest).length < 2;
}
