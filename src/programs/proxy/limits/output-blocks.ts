/** Bytes of one block: the most that TLS puts into one record. */
export const BLOCK_BYTES = 16 * 1024;

/** Memory for replies that wait, for all clients of a process: it is used again as soon as it is free, not when it is collected. */
export class OutputBlocks {
  #free: Buffer[] = [];
  #taken = 0;

  take(): Buffer {
    this.#taken++;
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
  }

  /** The block is used no more. */
  give(block: Buffer): void {
    this.#taken--;
    this.#free.push(block);
    const most = Math.max(LEAST_FREE, this.#taken * FREE_FOR_EACH);
    if (this.#free.length > 2 * most) this.#free = this.#free.slice(0, most);
  }

  /** The block is used no more by the one who took it, but perhaps by the kernel: it is left to be collected. */
  lose(): void {
    this.#taken--;
  }
}

const LEAST_FREE = 256;
/** So many free blocks are kept for each that is in use. */
const FREE_FOR_EACH = 4;
