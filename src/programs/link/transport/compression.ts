import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createDeflateRaw, createInflateRaw } from "node:zlib";
import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";

/**
 * Data that is written arrives at once: each write ends in a block that the other end can read. A stream takes 128 KiB, where zlib's own sizes
 * take 256.
 */
const OPTIONS = { level: constants.Z_BEST_SPEED, flush: constants.Z_SYNC_FLUSH, windowBits: 14, memLevel: 7 } as const;
/** A stream that is cut off ends, as a connection does that is not compressed. */
const ENDS_ANYWHERE = { finishFlush: constants.Z_SYNC_FLUSH } as const;

/** Compresses and sends what is written to the answer, which closes with `sink`, and ends `sink` when it is ended. */
export function compress(sink: Writable): Writable {
  const deflate = createDeflateRaw(OPTIONS);
  // who reads sees that it has ended
  void pipeline(deflate, sink).catch(() => undefined);
  return deflate;
}

/** What the bytes were before they were compressed; LINK_MALFORMED when they were not. */
export async function* decompress(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw(ENDS_ANYWHERE);
  const arriving = pipeline(bytes, inflate);
  arriving.catch(() => undefined); // what the inflate throws says the same
  try {
    for await (const chunk of inflate) yield chunk as Buffer;
    await arriving;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "Z_DATA_ERROR")) throw error;
    throw new Fault(faults.malformed, "What the other site sends is not compressed as it says.", {}, error);
  }
}
