import type { Socket } from "node:net";
import { Fault } from "../../../core/base/fault.ts";
import { faults } from "../faults.ts";

/**
 * What a frame holds: JSON, but for operations, parts of a summary and what a site gets that has nothing, which have codecs of their own (core/merge). `transfer`
 * asks for all that a site has: `begin`, keys, operations and `end`; `names` for keys, and `scan` for names.
 */
export type FrameKind =
  | "greeting"
  | "refusal"
  | "statement"
  | "operation"
  | "summary"
  | "transfer"
  | "begin"
  | "key"
  | "end"
  | "names"
  | "scan";

/** One message between links. */
export interface Frame {
  readonly kind: FrameKind;
  readonly body: Buffer;
}

const KINDS: readonly FrameKind[] = [
  ...([
    "greeting",
    "refusal",
    "statement",
    "operation",
    "transfer",
    "begin",
    "key",
    "end",
    "summary",
    "names",
    "scan",
  ] as const),
];
/** A length of four bytes, and a byte that says the kind. */
const HEAD = 5;
/** Longer frames are refused. A value of an engine has 512 MiB at most, and a key that is sent as a whole may have many. */
const LONGEST: Readonly<Record<FrameKind, number>> = {
  ...{ greeting: 65_536, refusal: 65_536, statement: 65_536, operation: 1_073_741_824 },
  ...{ transfer: 65_536, begin: 1_073_741_824, key: 1_073_741_824, end: 0, summary: 1_073_741_824 },
  ...{ names: 1_073_741_824, scan: 0 },
};

/** The frame as it is sent. */
export function encodeFrame(kind: FrameKind, body: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD + body.length);
  bytes.writeUInt32BE(body.length, 0);
  bytes.writeUInt8(KINDS.indexOf(kind), 4);
  bytes.set(body, HEAD);
  return bytes;
}

/**
 * The frames that arrive until the other end closes; LINK_MALFORMED for what is none. Reads on when a frame was taken, and leaves
 * it to the caller to close.
 */
export async function* readFrames(socket: Socket): AsyncGenerator<Frame> {
  let parts: Buffer[] = [];
  let size = 0;
  let needed = HEAD;
  const chunks = (socket as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    const chunk = next.value;
    parts.push(chunk);
    size += chunk.length;
    if (size < needed) continue;
    let bytes = parts.length === 1 ? chunk : Buffer.concat(parts);
    for (let found = frameIn(bytes); ; found = frameIn(bytes)) {
      needed = found.needed;
      if (found.frame === undefined) break;
      yield found.frame;
      bytes = bytes.subarray(found.needed);
    }
    parts = [bytes];
    size = bytes.length;
  }
}

/** The first frame, or none yet; `needed` bytes are in it, or are needed to look again. */
function frameIn(bytes: Buffer): { readonly frame: Frame | undefined; readonly needed: number } {
  if (bytes.length < HEAD) return { frame: undefined, needed: HEAD };
  const length = bytes.readUInt32BE(0);
  const kind = KINDS[bytes.readUInt8(4)];
  if (kind === undefined || length > LONGEST[kind])
    throw new Fault(faults.malformed, "What the other site sends is not that of a link.");
  const needed = HEAD + length;
  return { frame: bytes.length < needed ? undefined : { kind, body: bytes.subarray(HEAD, needed) }, needed };
}
