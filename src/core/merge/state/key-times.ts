import type { KeyState } from "./key-state.ts";

/** A time of expiry is known of the key, also one that does not count now: it would again when a key of another type is made. */
export function hasTime({ expiries }: KeyState): boolean {
  return expiries.some(({ until }) => until !== undefined);
}

/** False where it is known that the key has no time of expiry. */
export function mayHaveTime(state: KeyState): boolean {
  return hasTime(state) || (state.baseExpiry && state.expiries.length === 0);
}
