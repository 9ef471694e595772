/** Keys that an engine's stream shows as written, each from its last write on; the newest ones, up to a limit. */
export class WrittenKeys {
  /** The last write of each, the oldest first. */
  readonly #writes = new Map<string, Write>();
  #number = 0;
  #bytes = 0;

  /** The key was written; `nowMs` never runs backwards. */
  add(key: string, nowMs: number): void {
    if (!this.#writes.delete(key)) this.#bytes += key.length;
    this.#number += 1;
    this.#writes.set(key, { number: this.#number, atMs: nowMs });
    while (this.#writes.size > MOST_KEYS || this.#bytes > MOST_BYTES) this.#forgetOldest();
  }

  /** Of the keys that were last written after the write of that number, and no later than `untilMs`, the oldest ones. */
  after(number: number, untilMs: number, limit: WrittenLimit): WrittenPart {
    const keys: string[] = [];
    let [last, bytes] = [number, 0];
    for (const [key, write] of this.#writes) {
      if (write.number <= number) continue;
      if (write.atMs > untilMs || keys.length >= limit.keys || bytes + key.length > limit.bytes) break;
      keys.push(key);
      bytes += key.length;
      last = write.number;
    }
    return { keys, last };
  }

  #forgetOldest(): void {
    for (const key of this.#writes.keys()) {
      this.#writes.delete(key);
      this.#bytes -= key.length;
      return;
    }
  }
}

/** How many keys are taken at once, and how many bytes of names. */
export interface WrittenLimit {
  readonly keys: number;
  readonly bytes: number;
}

/** Some of the keys, with the number of the last of these writes. */
export interface WrittenPart {
  readonly keys: readonly string[];
  readonly last: number;
}

interface Write {
  readonly number: number;
  readonly atMs: number;
}

/** Keys that are remembered, and bytes of their names. */
const MOST_KEYS = 20_000;
const MOST_BYTES = 2_097_152;
