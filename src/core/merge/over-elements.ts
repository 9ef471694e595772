import type { Cell, Put, Sum } from "./state/cell.ts";
import type { NamedElement } from "./operations/key-part.ts";
import type { KeyEnd, KeyState } from "./state/key-state.ts";
import { elementContent, entries, expiresAt } from "./state/key-view.ts";
import { siteOf } from "./operations/origin.ts";
import { covers, type Dot } from "./operations/version-vector.ts";

/** An element that is over, with what of it is not. */
export interface OverElement extends NamedElement {
  /** By how much clients of this site have incremented it since; undefined where nothing was written on top of it. */
  readonly onTop: bigint | undefined;
}

/**
 * Elements that a site wrote before it knew that the time of their key had come at another site. The key has no time any more, and would begin
 * with these elements: a client that counts in it would not see it begin. Empty where the key cannot be told apart from one that was made anew,
 * and for what clients have written anew. `site`: the own one, whose clients may have counted on top of it.
 */
export function overElements(state: KeyState, site: number): readonly OverElement[] {
  const { ends } = state;
  const expiries = ends?.filter(({ isExpiry }) => isExpiry) ?? [];
  if (ends === undefined || expiries.length === 0 || expiresAt(state) !== undefined) return [];
  const isOver = (each: Put | Sum): boolean => expiries.some((expiry) => precedes(each, expiry, ends));
  return entries(state.cells).flatMap(([type, elements]) =>
    [...elements].flatMap(([element, cell]) => {
      const over = overCell(cell, isOver, site);
      return over !== undefined && elementContent(state, type, element).kind === "value"
        ? { type, element, ...over }
        : [];
    }),
  );
}

/**
 * True of a key that has expired at some site, and that holds nothing but increments since: other sites write and remove it at that moment, so a client that
 * counts in it may not see it begin, or its time may find no key.
 */
export function isCountedUnseen(state: KeyState): boolean {
  if (state.ends?.some(({ isExpiry }) => isExpiry) !== true || expiresAt(state) !== undefined) return false;
  const cells = entries(state.cells).flatMap(([, elements]) => [...elements.values()]);
  return cells.some(({ sums }) => sums.length > 0) && cells.every(({ base, puts }) => !base && puts.length === 0);
}

/** Undefined of an element that stays: nothing in it is over, or another site or a value of a client has made it anew. */
function overCell(
  { base, puts, sums }: Cell,
  isOver: (each: Put | Sum) => boolean,
  site: number,
): Pick<OverElement, "onTop"> | undefined {
  const rest = sums.filter((sum) => !isOver(sum));
  if (base || puts.length + sums.length === rest.length || !puts.every(isOver)) return undefined;
  if (rest.length === 0) return { onTop: undefined };
  // each site takes out what is over: it cannot say what is left of the increments of another one
  const isOwn = rest.every(({ dot }) => siteOf(dot.origin) === site);
  return isOwn ? { onTop: rest.reduce((all, { amount }) => all + amount, 0n) } : undefined;
}

/** Its site knew neither of the expiry nor of another end of the key that the site of the expiry did not know of. */
function precedes({ dot, seen }: Put | Sum, expiry: KeyEnd, ends: readonly KeyEnd[]): boolean {
  const knows = (other: Dot): boolean => covers(seen, other) || (other.origin === dot.origin && other.seq <= dot.seq);
  return !knows(expiry.dot) && ends.every((end) => !knows(end.dot) || covers(expiry.seen, end.dot));
}
