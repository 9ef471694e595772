import { effectsOfHeld, type HeldKey } from "./held-key.ts";
import type { KeyDifference } from "./key-difference.ts";
import type { Effect } from "../operations/operation.ts";

/**
 * What a site has of a key that another one lacks, or has otherwise: as if a client had written it now. Each of the two does this, so that both get the elements
 * of both, of two values the later one, and of two times of expiry the later time.
 */
export function healingEffects(
  key: string,
  own: HeldKey,
  other: HeldKey,
  difference: KeyDifference,
): readonly Effect[] {
  const { type, elements, until } = own;
  if (type === undefined) return [];
  if (difference.hasOtherType) return effectsOfHeld(key, own);
  const puts = difference.elements.flatMap((element): readonly Effect[] => {
    const value = elements.get(element);
    return value === undefined ? [] : [{ kind: "put", type, key, element, value }];
  });
  const isLast = other.type === undefined ? until !== undefined : isLater(until, other.until);
  return isLast ? [...puts, { kind: "expire", key, at: until }] : puts;
}

/** No time of expiry is later than any. */
function isLater(until: number | undefined, other: number | undefined): boolean {
  if (other === undefined) return false;
  return until === undefined || until > other;
}
