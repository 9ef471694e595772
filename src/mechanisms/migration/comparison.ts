import type { OpenKeys } from "../../core/migration/open-keys.ts";
import type { KeyReader } from "./key-reader.ts";
import { digestsOf } from "./value-digests.ts";

/** The two sides of a migration, and the keys of which it is not known that both have the same. */
export interface ComparedSides {
  readonly source: KeyReader;
  readonly endpoint: KeyReader;
  readonly open: OpenKeys;
}

/**
 * Compares both sides key by key while the source is written to. A key that differs, and one that was written since, is open until it was found the same:
 * what is open at the end is all that may differ.
 */
export class KeyComparison {
  readonly #sides: ComparedSides;
  #compared = 0;
  #isWhole = false;

  constructor(sides: ComparedSides) {
    this.#sides = sides;
  }

  /** Keys that were found the same; one may count several times. */
  get compared(): number {
    return this.#compared;
  }

  /** Each key of both sides was looked at once. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Looks at each key of both sides in these numbered databases; `next` is called now and then, and ends it by false. */
  async lookAtAll(databases: readonly number[], next: () => Promise<boolean>): Promise<void> {
    const { source, endpoint, open } = this.#sides;
    for (const database of databases) {
      for await (const keys of source.names(database)) {
        await this.#compare(database, keys);
        if (!(await next())) return;
      }
      for await (const keys of endpoint.names(database)) {
        const there = new Set(await source.existing(database, keys));
        for (const key of keys) if (!there.has(key)) open.add(database, key);
        if (!(await next())) return;
      }
    }
    this.#isWhole = true;
  }

  /** Looks at the keys that are open now once more. */
  async lookAtOpen(): Promise<void> {
    for (let left = this.#sides.open.size; left > 0;) {
      const taken = this.#sides.open.take(Math.min(left, KEYS_AT_ONCE));
      if (taken === undefined) return;
      left -= taken.keys.length;
      await this.#compare(taken.database, taken.keys);
    }
  }

  async #compare(database: number, keys: readonly string[]): Promise<void> {
    const { source, endpoint, open } = this.#sides;
    const wanted = await digestsOf(source, database, keys);
    const found = await digestsOf(endpoint, database, keys);
    for (const [at, key] of keys.entries()) {
      if (wanted[at] === found[at]) this.#compared += 1;
      else open.add(database, key);
    }
  }
}

const KEYS_AT_ONCE = 250;
