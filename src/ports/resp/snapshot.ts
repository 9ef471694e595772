import { Fault } from "#kit/base/fault";
import type { SocketReader } from "./socket-reader.ts";
import { faults } from "./faults.ts";

const MARK_BYTES = 40;

/** How the end of a snapshot is found: by its length, or by a mark that stands behind it. */
export type SnapshotForm = { readonly length: number } | { readonly mark: Buffer };

/** Reads what stands before a snapshot that begins a full synchronisation. */
export async function readSnapshotForm(reader: SocketReader): Promise<SnapshotForm> {
  const head = await reader.line();
  if (head.startsWith("$EOF:")) {
    const mark = Buffer.from(head.slice(5), "latin1");
    if (mark.length === MARK_BYTES) return { mark };
    throw new Fault(faults.malformed, "The mark of a snapshot has another length than 40.");
  }
  const length = /^\$(\d+)$/.exec(head)?.[1];
  if (length === undefined) throw new Fault(faults.malformed, `A snapshot begins with "${head.slice(0, 60)}".`);
  return { length: Number(length) };
}

/** The snapshot piece by piece, as it comes; RESP_CLOSED when the engine ends before it is whole. Nothing may follow it before the first acknowledgement. */
export async function* snapshotPieces(reader: SocketReader, form: SnapshotForm): AsyncGenerator<Buffer> {
  if ("mark" in form) return yield* piecesToMark(reader, form.mark);
  for (let { length: left } = form; left > 0;) {
    const piece = reader.take(Math.min(left, (await reader.some()).length));
    left -= piece.length;
    yield piece;
  }
}

/** The mark is what has come last: so many bytes are held back, as a copy, and what has come otherwise is passed on where it lies. */
async function* piecesToMark(reader: SocketReader, mark: Buffer): AsyncGenerator<Buffer> {
  for (let held: Buffer = Buffer.alloc(0); !held.equals(mark);) {
    let bytes = reader.take((await reader.some()).length);
    if (bytes.length < MARK_BYTES) bytes = Buffer.concat([held, bytes]);
    else if (held.length > 0) yield held;
    held = Buffer.from(bytes.subarray(-MARK_BYTES));
    if (bytes.length > MARK_BYTES) yield bytes.subarray(0, -MARK_BYTES);
  }
}

/** Passes over the snapshot that begins a full synchronisation. */
export async function skipSnapshot(reader: SocketReader): Promise<void> {
  const form = await readSnapshotForm(reader);
  if ("mark" in form) return skipToMark(reader, form.mark);
  for (let { length: left } = form; left > 0;) left -= reader.take(Math.min(left, (await reader.some()).length)).length;
}

async function skipToMark(reader: SocketReader, mark: Buffer): Promise<void> {
  for (let bytes = await reader.some(); ; bytes = await reader.grow()) {
    const at = bytes.indexOf(mark);
    if (at >= 0) {
      reader.take(at + MARK_BYTES);
      return;
    }
    // the mark may have begun
    reader.take(Math.max(0, bytes.length - MARK_BYTES + 1));
  }
}
