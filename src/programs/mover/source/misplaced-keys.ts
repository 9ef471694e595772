import { hash } from "node:crypto";
import type { MisplacedKeys } from "../../../ports/management/mover-control.ts";

/** A misplaced key of a numbered database. */
export interface MisplacedKey {
  readonly database: number;
  readonly key: Uint8Array;
}

/** Keys of a source whose slots are another shard's: a script had not declared them. They go nowhere. */
export class MisplacedNames {
  /** A mark of each, which follows from its database and its name: names may be long, and many. */
  readonly #marks = new Set<number>();
  /** Those whose names are known, by their marks; the one that was looked at least lately comes first. */
  readonly #named = new Map<number, MisplacedKey>();
  #nameBytes = 0;
  /** So many more keys are there, which have no mark. */
  #more = 0;

  /** Those that it has now; undefined when it has none. One without a mark counts again each time that it is written, and until the mover ends. */
  get found(): MisplacedKeys | undefined {
    const keys = this.#marks.size + this.#more;
    const [first] = this.#named.values();
    const example = first && { database: first.database, name: shownName(first.key) };
    return keys === 0 ? undefined : { keys, ...(example === undefined ? {} : { example }) };
  }

  add(database: number, key: Uint8Array): void {
    const mark = markOf(database, key);
    if (!this.#marks.has(mark)) {
      if (this.#marks.size >= MOST_MARKS) {
        this.#more += 1;
        return;
      }
      this.#marks.add(mark);
    }
    if (this.#named.has(mark) || this.#nameBytes + key.length > MOST_NAME_BYTES) return;
    this.#nameBytes += key.length;
    this.#named.set(mark, { database, key: Uint8Array.from(key) });
  }

  delete(database: number, key: Uint8Array): void {
    const mark = markOf(database, key);
    this.#marks.delete(mark);
    if (this.#named.delete(mark)) this.#nameBytes -= key.length;
  }

  /** So many of them, to be looked at again: a key that lost its last element, or expired, is in the stream as one that was changed. */
  some(count: number): readonly MisplacedKey[] {
    return this.#named.values().take(count).toArray();
  }

  /** What was found of `some` at this place of the stream. */
  settle(looked: readonly MisplacedKey[], isThere: (at: number) => boolean): void {
    for (const [at, one] of looked.entries()) {
      const mark = markOf(one.database, one.key);
      if (!isThere(at)) this.delete(one.database, one.key);
      else if (this.#named.delete(mark)) this.#named.set(mark, one);
    }
  }
}

/** They take some 50 MB. */
const MOST_MARKS = 1_000_000;
/** Of all names that are known. */
const MOST_NAME_BYTES = 32 * 2 ** 20;
/** In bytes. */
const LONGEST_NAME = 60;

/** Two of a million have the same mark once in hundreds of times. */
function markOf(database: number, key: Uint8Array): number {
  return hash("sha1", Buffer.concat([Buffer.from(`${database} `), key]), "buffer").readUIntBE(0, MARK_BYTES);
}

/** So many bytes make a number that is exact. */
const MARK_BYTES = 6;

function shownName(key: Uint8Array): string {
  const text = Buffer.from(key.subarray(0, LONGEST_NAME)).toString();
  return key.length > LONGEST_NAME ? `${text}…` : text;
}
