import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";

/**
 * What a frame holds: JSON, but for operations, parts of a summary and what a site gets that has nothing, which have codecs of their own (core/merge). `transfer`
 * asks for all that a site has: `begin`, keys, operations and `end`; `names` for keys, `scan` for names, `sums` and `digests` for what they are answered with, and `own` for operations of
 * the site that asks.
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
  | "scan"
  | "sums"
  | "digests"
  | "own";

/** One message between links. */
export interface Frame {
  readonly kind: FrameKind;
  readonly body: Buffer;
}

const KINDS: readonly FrameKind[] = [
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
  "sums",
  "digests",
  "own",
];
/** A length of four bytes, and a byte that says the kind. */
const HEAD = 5;
const NOTHING = Buffer.alloc(0);
/** Longer frames are refused. A value of an engine has 512 MiB at most, and a key that is sent as a whole may have many. */
const LONGEST: Readonly<Record<FrameKind, number>> = {
  greeting: 65_536,
  refusal: 65_536,
  // with what several sites have of up to 2,000 origins; links of releases before 0.6.0 read up to 64 KiB
  statement: 1_048_576,
  operation: 1_073_741_824,
  transfer: 65_536,
  begin: 1_073_741_824,
  key: 1_073_741_824,
  end: 0,
  summary: 1_073_741_824,
  names: 1_073_741_824,
  scan: 0,
  sums: 524_288,
  digests: 16_777_216,
  own: 0,
};

/** The first frame of a connection comes from a stranger. */
const LONGEST_FIRST = 65_536;

/** The frame as it is sent. */
export function encodeFrame(kind: FrameKind, body: Uint8Array): Buffer {
  return encodeFrames(kind, [body]);
}

/** The frames as they are sent, one behind the other. */
export function encodeFrames(kind: FrameKind, bodies: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafe(bodies.reduce((sum, body) => sum + HEAD + body.length, 0));
  let at = 0;
  for (const body of bodies) {
    bytes.writeUInt32BE(body.length, at);
    bytes.writeUInt8(KINDS.indexOf(kind), at + 4);
    bytes.set(body, at + HEAD);
    at += HEAD + body.length;
  }
  return bytes;
}

/** Reads frames out of bytes that arrive, and leaves it to the caller to close what they arrive on. */
export class FrameReader {
  #chunks: AsyncIterator<Buffer>;
  /** Has arrived, and is of no frame that was read. */
  #rest: Buffer = NOTHING;
  #longest = LONGEST_FIRST;

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  /** The frames until the other end closes; LINK_MALFORMED for what is none. Reads on when a frame was taken. */
  async *frames(): AsyncGenerator<Frame> {
    for (;;) {
      const { frame, needed } = frameIn(this.#rest, this.#longest);
      if (frame !== undefined) {
        this.#longest = Infinity;
        this.#rest = this.#rest.subarray(needed);
        yield frame;
      } else if (!(await this.#gather(needed))) return;
    }
  }

  /** All bytes behind the frames that were read; no more frames are. */
  remaining(): AsyncIterable<Buffer> {
    return both(this.#rest, this.#chunks);
  }

  /** Frames are read out of what `change` makes of all bytes behind those that were read. */
  readThrough(change: (bytes: AsyncIterable<Buffer>) => AsyncIterable<Buffer>): void {
    this.#chunks = change(this.remaining())[Symbol.asyncIterator]();
    this.#rest = NOTHING;
  }

  /** False when the other end has closed before. */
  async #gather(needed: number): Promise<boolean> {
    const parts = this.#rest.length === 0 ? [] : [this.#rest];
    for (let size = this.#rest.length; size < needed;) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      parts.push(next.value);
      size += next.value.length;
    }
    const [first = NOTHING] = parts;
    this.#rest = parts.length === 1 ? first : Buffer.concat(parts);
    return true;
  }
}

async function* both(first: Buffer, further: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  for (let next = await further.next(); next.done !== true; next = await further.next()) yield next.value;
}

/** The first frame, or none yet; `needed` bytes are in it, or are needed to look again. */
function frameIn(bytes: Buffer, longest: number): { readonly frame: Frame | undefined; readonly needed: number } {
  if (bytes.length < HEAD) return { frame: undefined, needed: HEAD };
  const length = bytes.readUInt32BE(0);
  const kind = KINDS[bytes.readUInt8(4)];
  if (kind === undefined || length > Math.min(longest, LONGEST[kind]))
    throw new Fault(faults.malformed, "What the other site sends is not that of a link.");
  const needed = HEAD + length;
  return { frame: bytes.length < needed ? undefined : { kind, body: bytes.subarray(HEAD, needed) }, needed };
}
