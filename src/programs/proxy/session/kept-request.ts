import { LIMITS } from "../limits/limits.ts";
import type { Counters } from "../limits/counters.ts";

/** What was sent of a large request, so that it can be sent again from its beginning; nothing once it passes its limit. */
export class KeptRequest {
  readonly #counters: Pick<Counters, "keptBytes">;
  #chunks: Buffer[] | undefined = [];
  #bytes = 0;

  constructor(counters: Pick<Counters, "keptBytes">) {
    this.#counters = counters;
  }

  /** All of it so far; undefined when it was too large to be kept. */
  get chunks(): readonly Buffer[] | undefined {
    return this.#chunks;
  }

  add(bytes: Buffer): void {
    if (this.#chunks === undefined) return;
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    this.#counters.keptBytes += bytes.length;
    if (this.#bytes > LIMITS.keptBytes || this.#counters.keptBytes > LIMITS.allKeptBytes) this.drop();
  }

  drop(): void {
    this.#counters.keptBytes -= this.#bytes;
    this.#bytes = 0;
    this.#chunks = undefined;
  }
}
