import { Fault } from "#kit/base/fault";
import { visibleLine } from "#kit/base/visible";
import { faults } from "../faults.ts";
import { slotOf } from "../slot.ts";
import { LengthReader, SHORT } from "./lengths.ts";
import { unpackLzf } from "./lzf.ts";
import { VALUE_SHAPES, type Shape } from "./value-shapes.ts";
import { ValueWalk } from "./value-walk.ts";

/** A piece of a snapshot. `bytes` are those of the engine, without what selects a database. */
export type SnapshotPart =
  | { readonly kind: "head"; readonly version: number }
  /** Something that the engine says of itself. */
  | { readonly kind: "note"; readonly name: string; readonly bytes: Uint8Array }
  /** Functions of clients. */
  | { readonly kind: "library"; readonly bytes: Uint8Array }
  /** A key with what stands before its value: when it expires, how it is used, its type. */
  | { readonly kind: "key"; readonly database: number; readonly slot: number; readonly bytes: Uint8Array }
  /** Of the value of that key, as much as is here. */
  | { readonly kind: "value"; readonly bytes: Uint8Array; readonly isLast: boolean }
  | { readonly kind: "end" };

/** Cuts a snapshot, whose bytes come in any chunking, into its parts. It keeps no more of it than the name of one key, and a chunk. */
export class SnapshotReader {
  readonly #mostWhole: number;
  readonly #lengths = new LengthReader();
  readonly #walk = new ValueWalk();
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;
  /** More of the snapshot that has come, while what is needed next is not whole. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** As many bytes has what comes next at least. */
  #needed = 0;
  #database = 0;
  #state: "head" | "records" | "value" | "over" = "head";
  /** Where the name of the last key begins and ends. */
  #nameAt = 0;
  #nameEnd = 0;

  /** `mostWhole`: a name, a note or functions that have more bytes are SLOTS_UNKNOWN_DATA, whatever a damaged length says. */
  constructor(mostWhole: number) {
    this.#mostWhole = mostWhole;
  }

  /** Gives it what comes next. The memory must not change afterwards. */
  push(chunk: Uint8Array): void {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#bytes.length - this.#at + this.#waitingBytes < this.#needed) return;
    const rest = this.#bytes.subarray(this.#at);
    this.#bytes = rest.length === 0 && this.#waiting.length === 1 ? chunk : joinChunks([rest, ...this.#waiting]);
    this.#at = 0;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#needed = 0;
  }

  /** The next part; undefined when it needs more bytes for that. SLOTS_MALFORMED_SNAPSHOT, or SLOTS_UNKNOWN_DATA, after which it must be dropped. */
  next(): SnapshotPart | undefined {
    if (this.#waiting.length > 0) return undefined;
    switch (this.#state) {
      case "head":
        return this.#head();
      case "value":
        return this.#value();
      case "records":
        return this.#record();
      default:
        return undefined;
    }
  }

  /** The name of the key that was the last part, before anything else is asked for. */
  get keyName(): Uint8Array {
    return this.#packedName(this.#nameAt, this.#nameEnd) ?? this.#bytes.subarray(this.#nameAt, this.#nameEnd);
  }

  /** What came behind the end of the snapshot. */
  get rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  #head(): SnapshotPart | undefined {
    if (this.#bytes.length < HEAD_BYTES) return this.#wait(HEAD_BYTES);
    const head = textOf(this.#bytes.subarray(0, HEAD_BYTES));
    const version = Number(/^REDIS(\d{4})$/.exec(head)?.[1]);
    if (Number.isNaN(version)) throw malformedSnapshot(`it begins with "${visibleLine(head)}"`);
    this.#at = HEAD_BYTES;
    this.#state = "records";
    return { kind: "head", version };
  }

  /** There is no part before so many bytes are here; one more than there are when it is not known better. */
  #wait(bytes = this.#bytes.length - this.#at + 1): undefined {
    this.#requireWhole(bytes);
    this.#needed = bytes;
  }

  #requireWhole(bytes: number): void {
    if (bytes <= this.#mostWhole) return;
    throw new Fault(faults.unknownData, `${bytes} bytes belong together, and ${this.#mostWhole} are kept at most.`);
  }

  #record(): SnapshotPart | undefined {
    for (;;) {
      const at = this.#behindOptions();
      if (at === undefined) return undefined;
      const code = this.#bytes[at] ?? 0;
      const lengths = BEFORE_KEYS.get(code);
      if (lengths === undefined) return this.#recordAt(at, code);
      if (!this.#passLengths(at, lengths)) return undefined;
      if (code === CODES.database) this.#database = this.#lengths.value;
    }
  }

  /** Where the code of the next record stands, behind what says how its key is used; undefined when it is not here. */
  #behindOptions(): number | undefined {
    for (let at = this.#at; at < this.#bytes.length;) {
      if (at - this.#at > MOST_OPTIONS) throw malformedSnapshot("what says how a key is used has no end");
      const option = BEFORE_KEY.get(this.#bytes[at] ?? 0);
      if (option === undefined) return at;
      const past = option === "length" ? this.#lengths.length(this.#bytes, at + 1) : at + 1 + option;
      if (past === SHORT) break;
      at = past;
    }
    return this.#wait();
  }

  #recordAt(at: number, code: number): SnapshotPart | undefined {
    const shape = VALUE_SHAPES.get(code);
    if (shape !== undefined) return this.#key(shape, at);
    switch (code) {
      case CODES.note:
        return this.#note(at);
      case CODES.library:
        return this.#library(at);
      case CODES.end:
        return this.#end(at);
      default:
        throw new Fault(faults.unknownData, `The engine has written a record of type ${code}.`, { code });
    }
  }

  #key(shape: Shape, at: number): SnapshotPart | undefined {
    const content = this.#content(at + 1);
    if (content === undefined) return undefined;
    const past = content + this.#lengths.value;
    const slot = this.#slotAt(content, past);
    this.#nameAt = content;
    this.#nameEnd = past;
    const bytes = this.#bytes.subarray(this.#at, past);
    this.#at = past;
    this.#walk.begin(shape);
    this.#state = "value";
    return { kind: "key", database: this.#database, slot, bytes };
  }

  #slotAt(content: number, past: number): number {
    const name = this.#packedName(content, past);
    return name === undefined ? slotOf(this.#bytes, content, past) : slotOf(name);
  }

  /** Undefined when it stands there as it is. */
  #packedName(content: number, past: number): Uint8Array | undefined {
    const { packing, unpacked } = this.#lengths;
    if (packing === "none") return undefined;
    const packed = this.#bytes.subarray(content, past);
    if (packing === "number") return bytesOf(String(integerIn(packed)));
    this.#requireWhole(unpacked);
    const name = unpackLzf(packed, unpacked);
    if (name === undefined) throw malformedSnapshot("the name of a key cannot be unpacked");
    return name;
  }

  /** Where the content of the string begins that stands there; undefined when it is not whole. */
  #content(at: number): number | undefined {
    const content = this.#lengths.string(this.#bytes, at);
    if (content === SHORT) return this.#wait();
    const past = content + this.#lengths.value;
    return past > this.#bytes.length ? this.#wait(past - this.#at) : content;
  }

  #note(at: number): SnapshotPart | undefined {
    const content = this.#content(at + 1);
    if (content === undefined) return undefined;
    const past = content + this.#lengths.value;
    const name = textOf(this.#bytes.subarray(content, past));
    const value = this.#content(past);
    return value === undefined ? undefined : { kind: "note", name, bytes: this.#take(value + this.#lengths.value) };
  }

  #library(at: number): SnapshotPart | undefined {
    const content = this.#content(at + 1);
    return content === undefined ? undefined : { kind: "library", bytes: this.#take(content + this.#lengths.value) };
  }

  /** False when they are not whole. What they say stays unknown, except of the last one. */
  #passLengths(at: number, count: number): boolean {
    let past = at + 1;
    for (let left = count; left > 0 && past !== SHORT; left--) past = this.#lengths.length(this.#bytes, past);
    if (past === SHORT) this.#wait();
    else this.#at = past;
    return past !== SHORT;
  }

  #end(at: number): SnapshotPart | undefined {
    if (at + 1 + SUM_BYTES > this.#bytes.length) return this.#wait(at - this.#at + 1 + SUM_BYTES);
    this.#at = at + 1 + SUM_BYTES;
    this.#state = "over";
    return { kind: "end" };
  }

  #value(): SnapshotPart | undefined {
    const past = this.#walk.pass(this.#bytes, this.#at);
    const isLast = this.#walk.isOver;
    if (past === this.#at && !isLast) return this.#wait();
    if (isLast) this.#state = "records";
    return { kind: "value", bytes: this.#take(past), isLast };
  }

  #take(past: number): Uint8Array {
    const bytes = this.#bytes.subarray(this.#at, past);
    this.#at = past;
    return bytes;
  }
}

function malformedSnapshot(why: string): Fault {
  return new Fault(faults.malformed, `A snapshot cannot be read: ${why}.`);
}

function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** Each byte a character. */
function textOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (each) => each.charCodeAt(0));
}

/** A number that engines have kept in 1, 2 or 4 bytes, the lowest one first. */
function integerIn(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length === 1) return view.getInt8(0);
  return bytes.length === 2 ? view.getInt16(0, true) : view.getInt32(0, true);
}

const HEAD_BYTES = 9;
/** Engines write three of them, with 20 bytes at most. */
const MOST_OPTIONS = 64;
const SUM_BYTES = 8;
const CODES = { end: 255, database: 254, sizes: 251, note: 250, library: 245, slot: 244 } as const;
/** What may stand before a key, and how many bytes it has behind its code: two times of expiry, frequency and idle time. */
const BEFORE_KEY: ReadonlyMap<number, number | "length"> = new Map<number, number | "length">([
  [252, 8],
  [253, 4],
  [249, 1],
  [248, "length"],
]);
/** What stands before many keys, and how many lengths it has. */
const BEFORE_KEYS: ReadonlyMap<number, number> = new Map([
  [CODES.database, 1],
  [CODES.sizes, 2],
  [CODES.slot, 3],
]);
