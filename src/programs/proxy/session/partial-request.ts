import { REQUEST_LIMITS } from "../protocol/request-limits.ts";

/** The beginning of a request whose end has not arrived. */
export class PartialRequest {
  #chunks: Buffer[] = [];
  #bytes = 0;

  get chunks(): readonly Buffer[] {
    return this.#chunks;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get empty(): boolean {
    return this.#chunks.length === 0;
  }

  /** Collects more; true when the request has become one that is not collected further. */
  push(bytes: Buffer): boolean {
    const before = this.#bytes;
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    return before <= REQUEST_LIMITS.collectedBytes && this.#bytes > REQUEST_LIMITS.collectedBytes;
  }

  /** All that was collected, with `tail` at its end; nothing is left. */
  join(tail: Buffer): Buffer {
    const whole = Buffer.concat([...this.#chunks, tail]);
    this.drop();
    return whole;
  }

  /** Forgets what was collected. */
  drop(): void {
    this.#bytes = 0;
    this.#chunks = [];
  }
}
