import type { Cell, Put, Sum } from "./state/cell.ts";
import type { NamedElement } from "./operations/key-part.ts";
import type { KeyEnd, KeyState } from "./state/key-state.ts";
import { elementContent, entries, expiresAt } from "./state/key-view.ts";
import { siteOf } from "./operations/origin.ts";
import { covers, type Dot } from "./operations/version-vector.ts";

/**
 * Elements that a site wrote before it knew that the time of their key had come at another site. The key has no time any more, and would begin
 * with these elements: a client that counts in it would not see it begin. Empty where the key cannot be told apart from one that was made anew,
 * and for what a third site has made anew. `site`: the own one, whose clients may have counted on top of it.
 */
export function overElements(state: KeyState, site: number): readonly NamedElement[] {
  const { ends } = state;
  const expiries = ends?.filter(({ isExpiry }) => isExpiry) ?? [];
  if (ends === undefined || expiries.length === 0 || expiresAt(state) !== undefined) return [];
  const isOver = (each: Put | Sum): boolean => expiries.some((expiry) => precedes(each, expiry, ends));
  const isOverOrOwn = (each: Put | Sum): boolean => siteOf(each.dot.origin) === site || isOver(each);
  const hasOver = ({ base, puts, sums }: Cell): boolean =>
    !base && [...puts, ...sums].some(isOver) && [...puts, ...sums].every(isOverOrOwn);
  return entries(state.cells).flatMap(([type, elements]) =>
    [...elements].flatMap(([element, cell]) =>
      hasOver(cell) && elementContent(state, type, element).kind === "value" ? { type, element } : [],
    ),
  );
}

/** Its site knew neither of the expiry nor of another end of the key that the site of the expiry did not know of. */
function precedes({ dot, seen }: Put | Sum, expiry: KeyEnd, ends: readonly KeyEnd[]): boolean {
  const knows = (other: Dot): boolean => covers(seen, other) || (other.origin === dot.origin && other.seq <= dot.seq);
  return !knows(expiry.dot) && ends.every((end) => !knows(end.dot) || covers(expiry.seen, end.dot));
}
