import type { Value } from "./operation.ts";
import { compareTimestamps, type Timestamp } from "./timestamp.ts";
import { covers, coversAll, including, type Dot, type VersionVector } from "./version-vector.ts";

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
  readonly base: boolean;
  readonly puts: readonly Put[];
  readonly sums: readonly Sum[];
  /** The operations that made it what it is. */
  readonly touched: VersionVector;
}

/** What a element holds: nothing, a value with an amount on top, or what was agreed on with an amount on top. */
export type Content =
  | { readonly kind: "absent" }
  | { readonly kind: "value"; readonly value: Value; readonly plus: bigint }
  | { readonly kind: "base"; readonly plus: bigint; readonly increments: number };

/** A element of which only what was agreed on is known. */
export const AGREED: Cell = { base: true, puts: [], sums: [], touched: {} };
/** A element that the sites had not, or that was cleared. */
export const EMPTY: Cell = { base: false, puts: [], sums: [], touched: {} };

export const ABSENT: Content = { kind: "absent" };

/** Writes a value: the last writer wins among those that had not seen each other. */
export function withPut(cell: Cell, put: Put, seen: VersionVector): Cell {
  const rest = withRemoval(cell, put.dot, seen);
  return { ...rest, puts: [...rest.puts, put] };
}

/** Increments: concurrent increments all count, and one beside a concurrent write that wins does not. */
export function withSum(cell: Cell, sum: Sum): Cell {
  return { ...cell, sums: [...cell.sums, sum], touched: including(cell.touched, sum.dot) };
}

/** Removes what the site had seen: a concurrent write or increment stays. */
export function withRemoval(cell: Cell, dot: Dot, seen: VersionVector): Cell {
  const isUnseen = (each: { readonly dot: Dot }): boolean => !covers(seen, each.dot);
  return {
    base: false,
    puts: cell.puts.filter(isUnseen),
    sums: cell.sums.filter(isUnseen),
    touched: including(cell.touched, dot),
  };
}

/** What the element holds by everything that is known. */
export function contentOf({ base, puts, sums }: Cell): Content {
  const winner = winnerOf(puts);
  if (winner !== undefined) {
    return { kind: "value", value: winner.value, plus: total(sums.filter(({ seen }) => covers(seen, winner.dot))) };
  }
  if (base) return { kind: "base", plus: total(sums), increments: sums.length };
  return sums.length === 0 ? ABSENT : { kind: "value", value: "0", plus: total(sums) };
}

function winnerOf(puts: readonly Put[]): Put | undefined {
  return puts.reduce<Put | undefined>(
    (best, each) => (best !== undefined && compareTimestamps(each.at, best.at) < 0 ? best : each),
    undefined,
  );
}

function total(sums: readonly Sum[]): bigint {
  return sums.reduce((all, { amount }) => all + amount, 0n);
}

/**
 * The cell without what all sites have applied: their engines hold it, and every later operation has seen it. Undefined when
 * nothing else is in it.
 */
export function unagreed(cell: Cell, agreed: VersionVector): Cell | undefined {
  if (coversAll(agreed, cell.touched)) return undefined;
  const isAgreed = ({ dot }: { readonly dot: Dot }): boolean => covers(agreed, dot);
  const winner = winnerOf(cell.puts);
  const sums = cell.sums.filter((sum) => !isAgreed(sum));
  const hasContent = cell.base || winner !== undefined || sums.length < cell.sums.length;
  const isOnTop = ({ seen }: Sum): boolean => winner === undefined || covers(seen, winner.dot);
  // an increment that does not count now still does when the value that won is removed by a site that did not see it
  if (!hasContent || !cell.puts.every(isAgreed) || !sums.every(isOnTop)) return cell;
  return { ...cell, base: true, puts: [], sums };
}
