import { isSameValue } from "./held-key.ts";
import { expiresAt } from "./key-view.ts";
import type { KeyType, Value } from "../operations/operation.ts";
import type { KeyAt } from "./uncaptured-effects.ts";
import { coversAll } from "../operations/version-vector.ts";

/** How a key differs between two sites that have had the same operations on it. */
export interface KeyDifference {
  /** Both have the key, and it has different types. */
  readonly hasOtherType: boolean;
  /** Elements that one of them has not, or that hold something else there. */
  readonly elements: readonly string[];
  readonly hasOtherTime: boolean;
}

/**
 * Compares a key as two sites have it. "unknown": one of them has had an operation on it that the other one has not, or its time is near, so that one of
 * them may be the first to see it expire.
 */
export function differenceOf(here: KeyAt, there: KeyAt, now: number): KeyDifference | "none" | "unknown" {
  if (!areComparable(here, there, now)) return "unknown";
  const [own, other] = [here.held, there.held];
  const hasOtherType = own.type !== undefined && other.type !== undefined && own.type !== other.type;
  const type = own.type ?? other.type;
  if (type === undefined) return "none";
  const names = new Set([...own.elements.keys(), ...other.elements.keys()]);
  const elements = hasOtherType
    ? [...names]
    : [...names].filter((name) => !isSame(type, own.elements.get(name), other.elements.get(name)));
  const hasOtherTime = own.until !== other.until;
  return elements.length === 0 && !hasOtherTime ? "none" : { hasOtherType, elements, hasOtherTime };
}

/** Each site has all of the other, and no time of expiry is near. */
function areComparable(here: KeyAt, there: KeyAt, now: number): boolean {
  return hasAll(here, there) && hasAll(there, here) && !isNearEnd(here, now) && !isNearEnd(there, now);
}

/** The one has had every operation on the key that the other one remembers. What that one has forgotten, all sites have applied. */
function hasAll({ received }: KeyAt, { state }: KeyAt): boolean {
  return coversAll(received, state.touched);
}

/** Engines that add the same increments to a fraction in another order get sums that differ in the last digit. */
function isSame(type: KeyType, a: Value | undefined, b: Value | undefined): boolean {
  if (isSameValue(type, a, b)) return true;
  if (type !== "zset" || a === undefined || b === undefined) return false;
  return Math.abs(Number(a) - Number(b)) <= ROUNDED * Math.max(Math.abs(Number(a)), Math.abs(Number(b)));
}

function isNearEnd({ held, state }: KeyAt, now: number): boolean {
  const known = expiresAt(state);
  return [held.until, known].some((until) => typeof until === "number" && until < now + NEAR_MS);
}

const ROUNDED = 1e-12;
/** Clocks of sites differ, and an engine removes a key some time after its end. */
const NEAR_MS = 10_000;
