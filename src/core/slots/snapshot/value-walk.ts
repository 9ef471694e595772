import { Fault } from "#kit/base/fault";
import { assertNever } from "#kit/base/assert-never";
import { faults } from "../faults.ts";
import { LengthReader, SHORT } from "./lengths.ts";
import type { Shape, ShapePart } from "./value-shapes.ts";

interface Place {
  readonly shape: Shape;
  /** The part that comes next. */
  at: number;
  /** How often the shape comes from here on, this time counted. */
  times: number;
}

/** Finds where a value ends, in bytes that come piece by piece, and keeps none of them. */
export class ValueWalk {
  readonly #lengths = new LengthReader();
  readonly #places: Place[] = [];
  /** Bytes that follow and say nothing of what comes behind them. */
  #plain = 0;

  /** A value of that shape begins. */
  begin(shape: Shape): void {
    this.#places.push({ shape, at: 0, times: 1 });
  }

  /** True when nothing of the value is missing. */
  get isOver(): boolean {
    return this.#places.length === 0 && this.#plain === 0;
  }

  /**
   * Goes on in `bytes` from `at` and gives the position up to which they are of the value. What is behind it belongs to the next value
   * when `isOver`, and otherwise says too little: it must be given again, with what follows.
   */
  pass(bytes: Uint8Array, at: number): number {
    let reached = at;
    for (;;) {
      const plain = Math.min(this.#plain, bytes.length - reached);
      this.#plain -= plain;
      reached += plain;
      if (this.#plain > 0) return reached;
      const part = this.#next();
      if (part === undefined) return reached;
      const past = this.#take(part, bytes, reached);
      if (past === SHORT) return reached;
      reached = past;
    }
  }

  /** The part that comes next; it stays the next one until it is taken. */
  #next(): ShapePart | undefined {
    for (let place = this.#places.at(-1); place !== undefined; place = this.#places.at(-1)) {
      if (place.at === place.shape.length) {
        place.at = 0;
        place.times -= 1;
      }
      if (place.times > 0) return place.shape[place.at];
      this.#places.pop();
    }
    return undefined;
  }

  #take(part: ShapePart, bytes: Uint8Array, at: number): number {
    switch (part) {
      case "string": {
        const content = this.#lengths.string(bytes, at);
        return this.#skip(content, this.#lengths.value);
      }
      case "length":
        return this.#skip(this.#lengths.length(bytes, at), 0);
      case "score":
        return this.#score(bytes, at);
      case "pieces":
        return this.#piece(bytes, at);
      default:
        return typeof part === "object" ? this.#counted(part, bytes, at) : assertNever(part);
    }
  }

  /** The part is over after so many bytes. */
  #skip(past: number, plain: number): number {
    if (past === SHORT) return SHORT;
    this.#plain = plain;
    this.#step();
    return past;
  }

  #step(): void {
    const place = this.#places.at(-1);
    if (place !== undefined) place.at += 1;
  }

  #counted(part: Exclude<ShapePart, string>, bytes: Uint8Array, at: number): number {
    if ("bytes" in part) return this.#skip(at, part.bytes);
    const past = this.#lengths.length(bytes, at);
    if (past === SHORT) return SHORT;
    this.#step();
    this.#places.push({ shape: part.each, at: 0, times: this.#lengths.value });
    return past;
  }

  /** As text behind its length; three lengths stand for what is no number, and the two infinities. */
  #score(bytes: Uint8Array, at: number): number {
    const length = bytes[at];
    if (length === undefined) return SHORT;
    return this.#skip(at + 1, length < SCORE_WORDS ? length : 0);
  }

  /** A module says the kind of each piece; the part stays until the kind that ends it. */
  #piece(bytes: Uint8Array, at: number): number {
    const past = this.#lengths.length(bytes, at);
    if (past === SHORT) return SHORT;
    const kind = this.#lengths.value;
    if (kind === END_OF_PIECES) return this.#skip(past, 0);
    const shape = PIECES[kind];
    if (shape === undefined) throw new Fault(faults.malformed, `A module has written a piece of kind ${kind}.`);
    this.#places.push({ shape, at: 0, times: 1 });
    return past;
  }
}

const SCORE_WORDS = 253;
const END_OF_PIECES = 0;
/** By their kind: two integers, a number of 4 bytes, one of 8, a string. */
const PIECES: readonly (Shape | undefined)[] = [
  undefined,
  ["length"],
  ["length"],
  [{ bytes: 4 }],
  [{ bytes: 8 }],
  ["string"],
];
