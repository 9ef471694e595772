import { copyBytes, copyInto } from "../upstream/lent-memory.ts";

/** Bytes of replies that wait for their turn, and those that wait behind them. */
export interface KeptBytes {
  /** Memory that they share with others; undefined for memory of their own. */
  readonly block: Block | undefined;
  readonly bytes: Buffer;
  readonly start: number;
  end: number;
  next: KeptBytes | undefined;
}

interface Block {
  readonly bytes: Buffer;
  used: number;
  /** How many of what is kept lie in it. */
  pieces: number;
}

/** The replies of one client that wait for their turn: small ones lie together in blocks that are used again. */
export class KeptReplies {
  /** The memory that they take. */
  heldBytes = 0;
  #block: Block | undefined;

  /** A copy of `bytes` from `start` to `end`, behind `last`: `last` itself, when it could be made longer. */
  keep(last: KeptBytes | undefined, bytes: Buffer, start: number, end: number): KeptBytes {
    const length = end - start;
    if (length > LARGEST_PART) return this.#append(last, undefined, copyBytes(bytes, start, end), 0, length);
    const block = this.#blockFor(length);
    const at = block.used;
    block.used += copyInto(block.bytes, at, bytes, start, end);
    if (last?.block === block && last.end === at) {
      last.end = block.used;
      return last;
    }
    block.pieces++;
    return this.#append(last, block, block.bytes, at, block.used);
  }

  /** They have gone out, or are for a client that is gone. */
  free({ block, bytes }: KeptBytes): void {
    if (block === undefined) this.heldBytes -= bytes.length;
    else if (--block.pieces > 0) return;
    else if (block === this.#block) block.used = 0;
    else this.#give(block);
  }

  /** Nothing is kept: gives the memory back. */
  empty(): void {
    if (this.#block !== undefined) this.#give(this.#block);
    this.#block = undefined;
  }

  #append(last: KeptBytes | undefined, block: Block | undefined, bytes: Buffer, start: number, end: number): KeptBytes {
    if (block === undefined) this.heldBytes += bytes.length;
    const piece: KeptBytes = { block, bytes, start, end, next: undefined };
    if (last !== undefined) last.next = piece;
    return piece;
  }

  #blockFor(length: number): Block {
    const block = this.#block;
    if (block !== undefined && block.used + length <= BLOCK_BYTES) return block;
    const next = FREE.pop() ?? { bytes: Buffer.allocUnsafeSlow(BLOCK_BYTES), used: 0, pieces: 0 };
    this.heldBytes += BLOCK_BYTES;
    if (block?.pieces === 0) this.#give(block);
    return (this.#block = next);
  }

  #give(block: Block): void {
    this.heldBytes -= BLOCK_BYTES;
    block.used = block.pieces = 0;
    if (FREE.length < MOST_FREE) FREE.push(block);
  }
}

/** Of all clients of the process, which take turns with them. */
const FREE: Block[] = [];
const MOST_FREE = 1024;
/** Little, because a client that waits for a shard may keep one for a few bytes. */
const BLOCK_BYTES = 4 * 1024;
const LARGEST_PART = BLOCK_BYTES / 4;
