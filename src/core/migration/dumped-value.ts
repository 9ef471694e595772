import { Crc64 } from "../slots/snapshot/crc64.ts";
import { LengthReader } from "../slots/snapshot/lengths.ts";

/** What a snapshot says of a key before its value. */
export interface KeyHead {
  /** How the value is written. */
  readonly type: number;
  /** Unix time in milliseconds; undefined when it does not expire. */
  readonly expiresAt: number | undefined;
}

/** Reads what stands before the name of a key in a snapshot. */
export function keyHead(bytes: Uint8Array): KeyHead {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const lengths = new LengthReader();
  let expiresAt: number | undefined;
  for (let at = 0; ;) {
    const code = bytes[at] ?? 0;
    switch (code) {
      case MILLISECONDS:
        expiresAt = Number(view.getBigInt64(at + 1, true));
        at += 9;
        break;
      case SECONDS:
        expiresAt = view.getInt32(at + 1, true) * 1_000;
        at += 5;
        break;
      case FREQUENCY:
        at += 2;
        break;
      case IDLE:
        at = lengths.length(bytes, at + 1);
        break;
      default:
        return { type: code, expiresAt };
    }
  }
}

/** What stands behind a value, or behind functions, where it is given to an engine by itself: the version of its form, and a checksum of all. */
export function dumpFooter(parts: readonly Uint8Array[], version: number): Uint8Array {
  const of = Uint8Array.of(version & 255, version >> 8);
  const crc = new Crc64();
  for (const part of parts) crc.add(part);
  crc.add(of);
  return Uint8Array.of(...of, ...crc.sum);
}

const [IDLE, FREQUENCY, MILLISECONDS, SECONDS] = [248, 249, 252, 253];
