/** As much as libuv reads at once. */
export const LENT_BYTES = 64 * 1024;

/** Memory into which connections are read by turns: what was read is looked at, and copied, before the next one is read. */
export const SHARED_MEMORY = Buffer.allocUnsafeSlow(LENT_BYTES);

/**
 * Memory into which one connection is read again and again. What was read is lent until the next read; once its receiver keeps it, the next read
 * has other memory.
 */
export class LentMemory {
  bytes = lend(this);
  #isKept = false;

  /** The receiver keeps what was read: this memory is not read into again. */
  keep(): void {
    this.#isKept = true;
  }

  /** Other memory to read into, when what was read is kept. */
  get other(): Buffer | undefined {
    if (!this.#isKept) return undefined;
    this.#isKept = false;
    this.bytes = lend(this);
    return this.bytes;
  }
}

/** A receiver that keeps `bytes` as they are calls this, so that their memory is not read into again. */
export function keepMemory(bytes: Buffer): void {
  LENDERS.get(bytes.buffer)?.keep();
}

/** `bytes`, to be kept: a copy of what is a small part of lent memory. */
export function keepLent(bytes: Buffer): Buffer {
  const lender = LENDERS.get(bytes.buffer);
  if (lender === undefined) return bytes;
  if (bytes.length < COPIED_BYTES) return copyBytes(bytes, 0, bytes.length);
  lender.keep();
  return bytes;
}

/** `bytes`, to be kept: a copy of what lies in shared memory. */
export function copyIfShared(bytes: Buffer): Buffer {
  return bytes.buffer === SHARED_MEMORY.buffer ? copyBytes(bytes, 0, bytes.length) : bytes;
}

/** A copy in memory of its own, of its exact size. */
export function copyBytes(bytes: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(end - start);
  bytes.copy(copy, 0, start, end);
  return copy;
}

/** Copies `bytes` from `start` to `end` to this place of `memory`, which has the room; how many they are. */
export function copyInto(memory: Buffer, place: number, bytes: Buffer, start: number, end: number): number {
  if (end - start > FEW_BYTES) return bytes.copy(memory, place, start, end);
  for (let at = start, to = place; at < end; at++, to++) memory[to] = bytes[at] ?? 0;
  return end - start;
}

function lend(lender: LentMemory): Buffer {
  const bytes = Buffer.allocUnsafeSlow(LENT_BYTES);
  LENDERS.set(bytes.buffer, lender);
  return bytes;
}

const LENDERS = new WeakMap<ArrayBufferLike, LentMemory>();
/** So few are copied faster without a call. */
const FEW_BYTES = 40;
const COPIED_BYTES = 16 * 1024;
