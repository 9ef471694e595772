import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";
import { readOneByteText, writeOneByteText } from "./one-byte-text.ts";

/** Puts values one after the other into bytes. */
export class ByteWriter {
  #buffer = new Uint8Array(256);
  #length = 0;

  /** A whole number from 0 to 2^53 - 1. */
  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 0x7f) {
      this.#buffer[this.#length++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#length++] = rest;
  }

  /** A whole number that fits into 70 bits with its sign. */
  integer(value: bigint): void {
    this.#reserve(INTEGER_BYTES);
    let rest = value < 0n ? -2n * value - 1n : 2n * value;
    while (rest > 0x7fn) {
      this.#buffer[this.#length++] = Number(rest & 0x7fn) + 0x80;
      rest >>= 7n;
    }
    this.#buffer[this.#length++] = Number(rest);
  }

  /** Characters of one byte each. */
  text(value: string): void {
    this.number(value.length);
    this.#reserve(value.length);
    writeOneByteText(value, this.#buffer, this.#length);
    this.#length += value.length;
  }

  bytes(value: Uint8Array): void {
    this.number(value.length);
    this.raw(value);
  }

  /** What has been written before, as it is. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return this.#buffer.slice(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#buffer.length) return;
    const larger = new Uint8Array(2 * (this.#length + more));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}

/** Takes values out of bytes; throws MERGE_MALFORMED where they end too early or say what no writer writes. */
export class ByteReader {
  readonly #buffer: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#buffer = bytes;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw malformedBytes("a number is too large");
      if (byte < 0x80) return value;
    }
  }

  integer(): bigint {
    let value = 0n;
    for (let count = 0; count < INTEGER_BYTES; count += 1) {
      const byte = this.#byte();
      value += BigInt(byte & 0x7f) << BigInt(7 * count);
      if (byte < 0x80) return value & 1n ? -(value + 1n) / 2n : value / 2n;
    }
    throw malformedBytes("a number is too large");
  }

  text(): string {
    const [from, to] = this.#range();
    return readOneByteText(this.#buffer, from, to);
  }

  bytes(): Uint8Array {
    const [from, to] = this.#range();
    return this.#buffer.subarray(from, to);
  }

  /** How many values follow, each of which takes at least one byte. */
  count(): number {
    const count = this.number();
    if (count > this.#buffer.length - this.#at) throw malformedBytes("they end before their last value");
    return count;
  }

  /** Throws when there is more. */
  end(): void {
    if (this.#at < this.#buffer.length) throw malformedBytes("more follows their end");
  }

  #range(): readonly [number, number] {
    const length = this.count();
    this.#at += length;
    return [this.#at - length, this.#at];
  }

  #byte(): number {
    const byte = this.#buffer[this.#at++];
    if (byte === undefined) throw malformedBytes("they end before their last value");
    return byte;
  }
}

/** Bytes that this release cannot read; `why` is a sentence about them. */
export function malformedBytes(why: string): Fault {
  return new Fault(faults.malformed, `The bytes of a merge cannot be read: ${why}.`);
}

const INTEGER_BYTES = 10;
