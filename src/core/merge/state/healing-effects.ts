import { effectsOfHeld, type HeldKey } from "./held-key.ts";
import type { KeyDifference } from "./key-difference.ts";
import type { Effect } from "../operations/operation.ts";

/**
 * What a key has at a site and lacks, or has otherwise, at another one, as if a client had written it now. Each of the two sites does this, so
 * that both get the elements of both, the later one of two values, and the later one of two times of expiry.
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
  if (other.type === undefined) return until === undefined ? puts : [...puts, { kind: "expire", key, at: until }];
  if (isLater(until, other.until)) return [...puts, { kind: "expire", key, at: until }];
  // a time counts for the string that it was set for: each site names the same, whichever of the two values stays
  return type === "string" && puts.length > 0 && until !== undefined
    ? [...puts, { kind: "expire", key, at: other.until }]
    : puts;
}

/** No time of expiry is later than any. */
function isLater(until: number | undefined, other: number | undefined): boolean {
  if (other === undefined) return false;
  return until === undefined || until > other;
}
