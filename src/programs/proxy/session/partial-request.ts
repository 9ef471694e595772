import { REQUEST_LIMITS } from "../protocol/request-limits.ts";
import { ARENA_BYTES } from "../upstream/arena.ts";
import { giveBlock, takeBlock } from "../upstream/request-blocks.ts";

/** The beginning of a request whose end has not arrived, copied into one piece of memory. */
export class PartialRequest {
  #memory: Buffer = NONE;
  #bytes = 0;

  /** What has arrived of it. */
  get collected(): Buffer {
    return this.#memory.subarray(0, this.#bytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The memory that it takes: more than has arrived when the rest is known. */
  get heldBytes(): number {
    return this.#memory.length;
  }

  get empty(): boolean {
    return this.#bytes === 0;
  }

  /**
   * Collects more, of which `missing` bytes or more are still to come; true when the request has become one that need not be collected
   * further, and again each time that it is twice as large. A client does not get more memory than twice what it has sent.
   */
  push(bytes: Buffer, missing: number): boolean {
    const before = this.#bytes;
    const length = before + bytes.length;
    this.#append(bytes, Math.min(length + missing, 2 * length));
    return doublings(length) > doublings(before);
  }

  /** All that was collected, with `tail` at its end; nothing is left. */
  join(tail: Buffer): Buffer {
    this.#append(tail, this.#bytes + tail.length);
    const whole = this.collected;
    this.drop();
    return whole;
  }

  /** Forgets what was collected. */
  drop(): void {
    this.#bytes = 0;
    this.#memory = NONE;
  }

  /** `room`: what the memory is made for when it is too small. */
  #append(bytes: Buffer, room: number): void {
    if (this.#bytes + bytes.length > this.#memory.length) this.#grow(room);
    bytes.copy(this.#memory, this.#bytes);
    this.#bytes += bytes.length;
  }

  #grow(room: number): void {
    const former = this.#memory;
    this.#memory = memoryFor(room);
    former.copy(this.#memory, 0, 0, this.#bytes);
    giveBlock(former);
  }
}

const NONE = Buffer.alloc(0);

/** How often a request has become too large to be collected; 0: it is not. */
function doublings(bytes: number): number {
  const { collectedBytes } = REQUEST_LIMITS;
  return bytes > collectedBytes ? Math.ceil(Math.log2(bytes / collectedBytes)) : 0;
}

/** A smaller request is copied once more, beside others, before it is sent. */
function memoryFor(bytes: number): Buffer {
  return bytes > ARENA_BYTES ? takeBlock(bytes) : Buffer.allocUnsafeSlow(bytes);
}
