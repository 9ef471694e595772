import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";

/** The position when the bytes end before what is read does. */
export const SHORT = -1;

/** Reads lengths and strings as snapshots write them; SLOTS_MALFORMED_SNAPSHOT where no engine does. What it has read last is in its fields. */
export class LengthReader {
  /** The last length, or the kind of packing while `packing` is one. */
  value = 0;
  /** How the last string is packed: as a number of 1, 2 or 4 bytes, or with LZF. */
  packing: "none" | "number" | "lzf" = "none";
  /** How many bytes the last string has that was packed with LZF. */
  unpacked = 0;

  /** The position behind the length that begins at `at`; SHORT when it is not whole. */
  length(bytes: Uint8Array, at: number): number {
    const first = bytes[at];
    if (first === undefined) return SHORT;
    const kind = first >> 6;
    if (kind === 2) return this.#long(bytes, at, first);
    this.value = first & 63;
    if (kind !== 1) return at + 1;
    const second = bytes[at + 1];
    if (second === undefined) return SHORT;
    this.value = (this.value << 8) | second;
    return at + 2;
  }

  /** The position where the content of a string begins, which has `value` bytes; SHORT when what says it is not whole. */
  string(bytes: Uint8Array, at: number): number {
    const past = this.length(bytes, at);
    this.packing = "none";
    if (past === SHORT || (bytes[at] ?? 0) < PACKED) return past;
    return this.value === LZF ? this.#lzf(bytes, past) : this.#number(past);
  }

  #number(past: number): number {
    if (this.value > LZF) throw malformedLength(PACKED + this.value);
    this.packing = "number";
    this.value = 2 ** this.value;
    return past;
  }

  #lzf(bytes: Uint8Array, at: number): number {
    const behind = this.length(bytes, at);
    if (behind === SHORT) return SHORT;
    const packed = this.value;
    const content = this.length(bytes, behind);
    this.packing = "lzf";
    this.unpacked = this.value;
    this.value = packed;
    return content;
  }

  #long(bytes: Uint8Array, at: number, first: number): number {
    if (first > LONG_64) throw malformedLength(first);
    const size = first === LONG_64 ? 8 : 4;
    if (at + 1 + size > bytes.length) return SHORT;
    let value = 0;
    for (let next = at + 1; next <= at + size; next++) value = value * 256 + (bytes[next] ?? 0);
    this.value = value;
    return at + 1 + size;
  }
}

function malformedLength(first: number): Fault {
  return new Fault(faults.malformed, `A snapshot cannot be read: a length begins with the byte ${first}.`);
}

/** The kind of packing that is not a number. */
const LZF = 3;
const PACKED = 0xc0;
const LONG_64 = 0x81;
