import type { Cell } from "./cell.ts";
import { keepsBase, type Expiry, type KeyState } from "./key-state.ts";
import { entries } from "./key-view.ts";
import type { Operation } from "../operations/operation.ts";
import { siteOf } from "../operations/origin.ts";
import { covers } from "../operations/version-vector.ts";

/** The keys that expired at the site of the operation: it removed them, and their time with them. */
export function expiredIn({ effects }: Operation): readonly string[] {
  if (!effects.some(({ kind }) => kind === "emptied")) return [];
  const cleared = new Set(effects.flatMap((effect) => (effect.kind === "clear" ? effect.key : [])));
  return effects.flatMap((effect) => (effect.kind === "emptied" && cleared.has(effect.key) ? effect.key : []));
}

/**
 * True of a key that would lose something with an expiry of another site, and that lives longer: this site has set a later time, or none, which that one
 * had not seen.
 */
export function outlives(state: KeyState, { at, seen }: Operation, site: number): boolean {
  const isLater = ({ dot, until }: Expiry): boolean =>
    siteOf(dot.origin) === site && !covers(seen, dot) && (until === undefined || until > at.wall);
  return state.expiries.some(isLater) && (keepsBase(state) || hasSeenContent(state, seen));
}

function hasSeenContent({ cells }: KeyState, seen: Operation["seen"]): boolean {
  const isSeen = ({ base, puts, sums }: Cell): boolean =>
    base || [...puts, ...sums].some(({ dot }) => covers(seen, dot));
  return entries(cells).some(([, elements]) => elements.values().some(isSeen));
}
