import { copyInto, LentMemory } from "../upstream/lent-memory.ts";

/** Where replies that go out are copied together: to write each of them would cost more than all else. Nothing is left in it when a turn ends. */
class Stage {
  readonly #lent = new LentMemory();
  #bytes = this.#lent.bytes;
  #used = 0;

  /** Puts bytes behind the others, and sends all when it is full; much is sent as it is. */
  add(bytes: Buffer, start: number, end: number, send: (bytes: Buffer) => void): void {
    if (end - start > SENT_BYTES) {
      this.send(send);
      send(bytes.subarray(start, end));
      return;
    }
    this.#used += copyInto(this.#bytes, this.#used, bytes, start, end);
    if (this.#used > SENT_BYTES) this.send(send);
  }

  /** Sends what is in it. */
  send(send: (bytes: Buffer) => void): void {
    const used = this.#used;
    if (used === 0) return;
    this.#used = 0;
    send(this.#bytes.subarray(0, used));
    // what was sent may have been kept as it is
    this.#bytes = this.#lent.other ?? this.#bytes;
  }
}

/** As much goes out at once, in bytes. */
export const SENT_BYTES = 16 * 1024;
/** For all clients of the process, in turn. */
export const STAGE = new Stage();
