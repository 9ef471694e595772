/** Memory for one large request, to be given back with `giveBlock`: at least `bytes`, used again instead of collected as garbage. */
export function takeBlock(bytes: number): Buffer {
  const step = Math.ceil((bytes - BESIDE_BYTES) / STEP_BYTES);
  const size = step * STEP_BYTES + BESIDE_BYTES;
  if (step < 1 || size > LARGEST_BYTES) return Buffer.allocUnsafeSlow(bytes);
  const free = FREE[step]?.pop();
  if (free !== undefined) {
    freeBytes -= size;
    return free;
  }
  const block = Buffer.allocUnsafeSlow(size);
  BLOCKS.set(block.buffer, block);
  return block;
}

/** The request in `bytes` may be kept from now on: its memory is never given back. */
export function keepBlock(bytes: Buffer): void {
  BLOCKS.delete(bytes.buffer);
}

/** The request in `bytes` is needed no more: its memory is used again if it is a block that is not kept. */
export function giveBlock(bytes: Buffer): void {
  const block = BLOCKS.get(bytes.buffer);
  if (block === undefined || freeBytes + block.length > MOST_FREE_BYTES) return;
  freeBytes += block.length;
  (FREE[(block.length - BESIDE_BYTES) / STEP_BYTES] ??= []).push(block);
}

/** Values have round sizes; so much room is for what stands beside the value in its request. */
const BESIDE_BYTES = 4 * 1024;
const STEP_BYTES = 64 * 1024;
const LARGEST_BYTES = 2 ** 20 + STEP_BYTES + BESIDE_BYTES;
/** For all clients of a process. */
const MOST_FREE_BYTES = 4 * 2 ** 20;

/** The free blocks, by steps of size. */
const FREE: Buffer[][] = [];
const BLOCKS = new WeakMap<ArrayBufferLike, Buffer>();
let freeBytes = 0;
