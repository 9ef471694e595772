import { Fault } from "#kit/base/fault";
import { faults } from "./faults.ts";
import { Push, ReplyError } from "./reply.ts";
import type { Reply } from "./reply.ts";

/** How bulk strings are given: as text (UTF-8), or as bytes. */
export type BulkForm = "text" | "bytes";

/** The value of exactly one whole frame. RESP_MALFORMED when it is none, or when it nests deeper than 64 levels. */
export function decodeReply(frame: Uint8Array, form: BulkForm = "text"): Reply {
  const cursor: Cursor = { bytes: Buffer.from(frame.buffer, frame.byteOffset, frame.length), at: 0, form };
  const reply = readReply(cursor, 0);
  if (cursor.at !== frame.length) throw malformedReply("bytes follow the frame");
  return reply;
}

interface Cursor {
  readonly bytes: Buffer;
  readonly form: BulkForm;
  at: number;
}

const MAX_DEPTH = 64;

function readReply(cursor: Cursor, depth: number): Reply {
  if (depth > MAX_DEPTH) throw malformedReply(`it nests deeper than ${MAX_DEPTH} levels`);
  const type = String.fromCharCode(cursor.bytes[cursor.at] ?? 0);
  const line = readLine(cursor);
  switch (type) {
    case "+":
      return line;
    case "-":
      return new ReplyError(line);
    case ":":
      return integer(line);
    case ",":
      return double(line);
    case "(":
      return bigInteger(line);
    case "#":
      return line === "t";
    case "_":
      return null;
    case "$":
      return line === "-1" ? null : bulk(cursor, line);
    case "=":
      return readBytes(cursor, line).toString("utf8", VERBATIM_PREFIX);
    case "!":
      return new ReplyError(readBytes(cursor, line).toString());
    case "*":
      return line === "-1" ? null : readMany(cursor, Number(line), depth);
    case "~":
      return readMany(cursor, Number(line), depth);
    case ">":
      return new Push(readMany(cursor, Number(line), depth));
    case "%":
      return readMap(cursor, Number(line), depth);
    case "|":
      readMany(cursor, 2 * Number(line), depth);
      return readReply(cursor, depth + 1);
    default:
      throw malformedReply(`a frame cannot begin with ${JSON.stringify(type)}`);
  }
}

const VERBATIM_PREFIX = "txt:".length;

function readLine(cursor: Cursor): string {
  const end = cursor.bytes.indexOf("\r\n", cursor.at, "latin1");
  if (end < 0) throw malformedReply("a line has no end");
  const line = cursor.bytes.toString("utf8", cursor.at + 1, end);
  cursor.at = end + 2;
  return line;
}

function bulk(cursor: Cursor, length: string): string | Uint8Array {
  const bytes = readBytes(cursor, length);
  return cursor.form === "text" ? bytes.toString() : Uint8Array.from(bytes);
}

function readBytes(cursor: Cursor, length: string): Buffer {
  const start = cursor.at;
  const end = start + Number(length);
  if (!(end + 2 <= cursor.bytes.length)) throw malformedReply("a string is shorter than its length");
  cursor.at = end + 2;
  return cursor.bytes.subarray(start, end);
}

function readMany(cursor: Cursor, count: number, depth: number): Reply[] {
  // each element takes three bytes or more: a larger count is refused before any memory is allocated for it
  if (!(count * 3 <= cursor.bytes.length)) throw malformedReply(`a list of ${count} does not fit in its frame`);
  return Array.from({ length: count }, () => readReply(cursor, depth + 1));
}

function readMap(cursor: Cursor, count: number, depth: number): ReadonlyMap<Reply, Reply> {
  const flat = readMany(cursor, 2 * count, depth);
  return new Map(Array.from({ length: count }, (_, i) => [flat[2 * i] ?? null, flat[2 * i + 1] ?? null]));
}

function integer(line: string): number | bigint {
  if (!/^[+-]?\d{1,20}$/.test(line)) throw malformedReply(`${JSON.stringify(line)} is no integer`);
  const value = Number(line);
  return Number.isSafeInteger(value) ? value : BigInt(line);
}

function bigInteger(line: string): bigint {
  if (!/^-?\d+$/.test(line)) throw malformedReply(`${JSON.stringify(line)} is no integer`);
  return BigInt(line);
}

function double(line: string): number {
  if (/^-?inf$/i.test(line)) return line.startsWith("-") ? -Infinity : Infinity;
  const value = Number(line);
  if (line === "" || (Number.isNaN(value) && line.toLowerCase() !== "nan"))
    throw malformedReply(`${line} is no number`);
  return value;
}

function malformedReply(why: string): Fault {
  return new Fault(faults.malformed, `The peer sent what is not RESP: ${why}.`);
}
