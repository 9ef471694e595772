import { REQUEST_LIMITS } from "./request-limits.ts";

/** What the unfinished requests of all clients of an endpoint need; each of them adds its part. */
export interface PartialBudget {
  partialBytes: number;
}

/** The beginning of a request whose end has not arrived. */
export class PartialRequest {
  readonly #budget: PartialBudget;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(budget: PartialBudget) {
    this.#budget = budget;
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
    this.#budget.partialBytes += bytes.length;
    return before <= REQUEST_LIMITS.collectedBytes && this.#bytes > REQUEST_LIMITS.collectedBytes;
  }

  /** True when the request, or all unfinished requests together, pass their limit. */
  tooLarge(isGuest: boolean): boolean {
    return (
      (isGuest && this.#bytes > REQUEST_LIMITS.guestBytes) || this.#budget.partialBytes > REQUEST_LIMITS.partialBytes
    );
  }

  /** All that was collected, with `tail` at its end; nothing is left. */
  join(tail: Buffer): Buffer {
    const whole = Buffer.concat([...this.#chunks, tail]);
    this.drop();
    return whole;
  }

  /** Forgets what was collected. */
  drop(): void {
    this.#budget.partialBytes -= this.#bytes;
    this.#bytes = 0;
    this.#chunks = [];
  }
}
