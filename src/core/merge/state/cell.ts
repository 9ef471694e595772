import type { Value } from "../operations/operation.ts";
import { compareTimestamps, type Timestamp } from "../operations/timestamp.ts";
import { NOTHING, covers, coversAll, withDot, type Dot, type VersionVector } from "../operations/version-vector.ts";

/** A value that was written and that no later write has seen. */
export interface Put {
  readonly dot: Dot;
  readonly at: Timestamp;
  readonly seen: VersionVector;
  readonly value: Value;
}

/** An increment. It counts on top of what its site had seen. */
export interface Sum {
  readonly dot: Dot;
  readonly at: Timestamp;
  readonly amount: bigint;
  readonly seen: VersionVector;
}

/**
 * What is known of one element since all sites agreed on it. Cells do not depend on the order in which concurrent operations
 * come: a write takes the place of what its site had seen, and of nothing else.
 */
export interface Cell {
  /** True while what the sites had agreed on still counts. */
  base: boolean;
  puts: Put[];
  /** Changed in place: a counter may have many that not all sites have applied. */
  sums: Sum[];
  /** The operations that made it what it is. */
  touched: VersionVector;
  /** Those of them that took the place of something: all but increments. */
  writes: VersionVector;
  /** What it holds, where that is known already. */
  content: Content | undefined;
}

/** What an element holds: nothing, a value with an amount on top, or what was agreed on with an amount on top. */
export type Content =
  | { readonly kind: "absent" }
  | { readonly kind: "value"; readonly value: Value; readonly plus: bigint; readonly put: Dot | undefined }
  | { readonly kind: "base"; readonly plus: bigint; readonly increments: number };

/** An element that the sites have not, or that was cleared. */
export const ABSENT: Content = { kind: "absent" };
/** An element of which only what was agreed on is known. */
export const AGREED: Content = { kind: "base", plus: 0n, increments: 0 };

/** `base`: what was agreed on counts. */
export function newCell(base: boolean): Cell {
  return { base, puts: [], sums: [], touched: NOTHING, writes: NOTHING, content: undefined };
}

/** Writes a value: the last writer wins among those that had not seen each other. */
export function addPut(cell: Cell, put: Put): void {
  removeSeen(cell, put.dot, put.seen);
  cell.puts.push(put);
}

/** Increments: concurrent increments all count, and one beside a concurrent write that wins does not. */
export function addSum(cell: Cell, sum: Sum): void {
  const before = contentOf(cell);
  cell.sums.push(sum);
  cell.touched = withDot(cell.touched, sum.dot);
  cell.content = applySum(before, sum);
}

/** Removes what the site had seen: a concurrent write or increment stays. */
export function removeSeen(cell: Cell, dot: Dot, seen: VersionVector): void {
  const isUnseen = (each: { readonly dot: Dot }): boolean => !covers(seen, each.dot);
  cell.base = false;
  cell.puts = cell.puts.filter(isUnseen);
  cell.sums = cell.sums.filter(isUnseen);
  cell.touched = withDot(cell.touched, dot);
  cell.writes = withDot(cell.writes, dot);
  cell.content = undefined;
}

/** True when it holds nothing, and no operation that comes can bring back what it held. */
export function isEmptyCell({ base, puts, sums }: Cell): boolean {
  return !base && puts.length === 0 && sums.length === 0;
}

/** What the element holds by everything that is known. */
export function contentOf(cell: Cell): Content {
  return (cell.content ??= contentFrom(cell));
}

/** What a cell holds when some of its writes do not count, computed anew. */
export function contentFrom({ base, puts, sums }: Pick<Cell, "base" | "puts" | "sums">): Content {
  const winner = winnerOf(puts);
  if (winner !== undefined) {
    const plus = total(sums.filter(({ seen }) => covers(seen, winner.dot)));
    return { kind: "value", value: winner.value, plus, put: winner.dot };
  }
  if (base) return { kind: "base", plus: total(sums), increments: sums.length };
  return sums.length === 0 ? ABSENT : { kind: "value", value: "0", plus: total(sums), put: undefined };
}

function applySum(content: Content, { amount, seen }: Sum): Content {
  switch (content.kind) {
    case "absent":
      return { kind: "value", value: "0", plus: amount, put: undefined };
    case "base":
      return { kind: "base", plus: content.plus + amount, increments: content.increments + 1 };
    case "value": {
      const counts = content.put === undefined || covers(seen, content.put);
      return counts ? { ...content, plus: content.plus + amount } : content;
    }
  }
}

/** The value that counts of those that had not seen each other. */
export function winnerOf(puts: readonly Put[]): Put | undefined {
  return puts.reduce<Put | undefined>(
    (best, each) => (best !== undefined && compareTimestamps(each.at, best.at) < 0 ? best : each),
    undefined,
  );
}

function total(sums: readonly Sum[]): bigint {
  return sums.reduce((all, { amount }) => all + amount, 0n);
}

/**
 * Takes out what all sites have applied: their engines hold it, and every later operation has seen it. False when nothing else
 * is in it. What took the place of something goes all at once, so that `joinCell` can tell what the base of another site holds.
 */
export function keepUnagreed(cell: Cell, agreed: VersionVector): boolean {
  if (coversAll(agreed, cell.touched)) return false;
  const isAgreed = ({ dot }: { readonly dot: Dot }): boolean => covers(agreed, dot);
  const winner = winnerOf(cell.puts);
  const sums = cell.sums.filter((sum) => !isAgreed(sum));
  const hasContent = cell.base || winner !== undefined || sums.length < cell.sums.length;
  const isOnTop = ({ seen }: Sum): boolean => winner === undefined || covers(seen, winner.dot);
  // an increment that does not count now still does when the value that won is removed by a site that did not see it
  if (!hasContent || !coversAll(agreed, cell.writes) || !sums.every(isOnTop)) return true;
  Object.assign(cell, { base: true, puts: [], sums, writes: NOTHING, content: undefined });
  return true;
}
