import { coversAll, type VersionVector } from "../operations/version-vector.ts";

/**
 * Keys that were seen to differ once between two sites. A difference counts only when it is seen again after both sides have applied what the other one had
 * sent when it was first seen: until then it may be what is on its way.
 */
export class Suspicions {
  readonly #first = new Map<string, Both>();

  /** The key was seen to differ, by sites that have received that. True when it counts. */
  isSeenAgain(key: string, now: Both): boolean {
    const first = this.#first.get(key);
    if (first === undefined) {
      if (this.#first.size < MOST) this.#first.set(key, now);
      return false;
    }
    if (!coversAll(now.here, first.there) || !coversAll(now.there, first.here)) return false;
    this.#first.delete(key);
    return true;
  }

  /** The key was seen to be the same. */
  isSame(key: string): void {
    this.#first.delete(key);
  }

  /** Keys that are to be looked at again. */
  get keys(): readonly string[] {
    return [...this.#first.keys()];
  }

  /** Ends all of them. */
  clear(): void {
    this.#first.clear();
  }
}

/** What two sites had received. */
export interface Both {
  readonly here: VersionVector;
  readonly there: VersionVector;
}

/** Keys that are remembered at once; others come when these are done. */
const MOST = 1_000;
