import { Fault } from "#kit/base/fault";
import type { SocketReader } from "./socket-reader.ts";
import { faults } from "./faults.ts";

const MARK_BYTES = 40;

/** Passes over the snapshot that begins a full synchronisation: of a length that is said before, or up to a mark. */
export async function skipSnapshot(reader: SocketReader): Promise<void> {
  const head = await reader.line();
  if (head.startsWith("$EOF:")) return skipToMark(reader, Buffer.from(head.slice(5), "latin1"));
  const length = /^\$(\d+)$/.exec(head)?.[1];
  if (length === undefined) throw new Fault(faults.malformed, `A snapshot begins with "${head.slice(0, 60)}".`);
  for (let left = Number(length); left > 0;) left -= reader.take(Math.min(left, (await reader.some()).length)).length;
}

async function skipToMark(reader: SocketReader, mark: Buffer): Promise<void> {
  if (mark.length !== MARK_BYTES)
    throw new Fault(faults.malformed, "The mark of a snapshot has another length than 40.");
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
