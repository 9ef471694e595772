import { LIMITS } from "../limits/limits.ts";
import type { Counters } from "../limits/limits.ts";

/** The beginning of a request whose end has not arrived. */
export class PartialRequest {
  readonly #counters: Counters;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  get chunks(): readonly Buffer[] {
    return this.#chunks;
  }

  get empty(): boolean {
    return this.#chunks.length === 0;
  }

  /** Collects more; true when the request has become one that is not collected further. */
  push(bytes: Buffer): boolean {
    const before = this.#bytes;
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    this.#counters.partialBytes += bytes.length;
    return before <= LIMITS.collectedBytes && this.#bytes > LIMITS.collectedBytes;
  }

  /** More than may be collected. */
  tooLarge(isGuest: boolean): boolean {
    return (isGuest && this.#bytes > LIMITS.guestBytes) || this.#counters.partialBytes > LIMITS.partialBytes;
  }

  /** All that was collected, and `tail` behind it; nothing is left. */
  join(tail: Buffer): Buffer {
    const whole = Buffer.concat([...this.#chunks, tail]);
    this.drop();
    return whole;
  }

  drop(): void {
    this.#counters.partialBytes -= this.#bytes;
    this.#bytes = 0;
    this.#chunks = [];
  }
}
