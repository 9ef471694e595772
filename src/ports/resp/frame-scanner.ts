import { Fault } from "#kit/base/fault";
import { faults } from "./faults.ts";

/** Bounds of what is accepted from a peer. */
export interface ScanLimits {
  /** A frame of more bytes is refused with RESP_TOO_LARGE. */
  readonly maxFrameBytes: number;
}

/** The position that `next` gives when the bytes end inside a frame. */
export const INCOMPLETE = -1;

/**
 * Finds the ends of RESP2 and RESP3 frames, in bytes that arrive in any chunking. It copies and allocates nothing;
 * nesting is a counter of outstanding elements, so that depth costs nothing. Throws RESP_MALFORMED or RESP_TOO_LARGE,
 * after which the rest of the stream cannot be read and the scanner must be dropped.
 */
export class FrameScanner {
  /** First byte of the frame that `next` last looked at: `$`, `*`, `>` ... */
  kind = 0;
  #state = TYPE;
  #type = 0;
  #digits = 0;
  #number = 0;
  #negative = false;
  #outstanding = 0;
  #size = 0;
  readonly #maxFrameBytes: number;

  constructor(limits: ScanLimits = { maxFrameBytes: 2 ** 30 }) {
    this.#maxFrameBytes = limits.maxFrameBytes;
  }

  /** True between the first and the last byte of a frame. */
  get inside(): boolean {
    return this.#outstanding > 0;
  }

  /** Goes on in `bytes` from `at` up to `end`: the position behind the current frame, or INCOMPLETE. */
  next(bytes: Uint8Array, at: number, end: number): number {
    if (at >= end) return INCOMPLETE;
    if (this.#outstanding === 0) {
      this.kind = bytes[at] ?? 0;
      this.#outstanding = 1;
      this.#size = 0;
    }
    const past = this.#scan(bytes, at, end);
    this.#size += (past === INCOMPLETE ? end : past) - at;
    if (this.#size > this.#maxFrameBytes) throw tooLarge(this.#size, this.#maxFrameBytes);
    return past;
  }

  #scan(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      switch (this.#state) {
        case TYPE:
          this.#open(bytes[at++] ?? 0);
          break;
        case NUMBER:
          at = this.#readNumber(bytes, at, end);
          break;
        case NUMBER_LF:
          expect(bytes[at++], LF);
          this.#closeNumber();
          break;
        case LINE:
          at = this.#skipLine(bytes, at, end);
          break;
        case BULK:
          at = this.#skipBulk(at, end);
          break;
        case BULK_CR:
          expect(bytes[at++], CR);
          this.#state = LINE_LF;
          break;
        default:
          expect(bytes[at++], LF);
          this.#state = TYPE;
          this.#outstanding--;
      }
      if (this.#outstanding === 0) return at;
    }
    return INCOMPLETE;
  }

  #skipLine(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end && bytes[at] !== CR) at++;
    if (at === end) return at;
    this.#state = LINE_LF;
    return at + 1;
  }

  #skipBulk(at: number, end: number): number {
    const length = Math.min(this.#number, end - at);
    this.#number -= length;
    if (this.#number === 0) this.#state = BULK_CR;
    return at + length;
  }

  #open(type: number): void {
    const shape = SHAPES[type] ?? 0;
    if (shape === 0) throw malformedFrame(`a frame cannot begin with byte ${type}`);
    this.#type = type;
    this.#digits = 0;
    this.#number = 0;
    this.#negative = false;
    this.#state = shape === SHAPE_LINE ? LINE : NUMBER;
  }

  #readNumber(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      const byte = bytes[at++] ?? 0;
      if (byte >= ZERO && byte <= NINE) {
        this.#number = this.#number * 10 + byte - ZERO;
        if (++this.#digits > MAX_DIGITS) throw malformedFrame("a length has too many digits");
      } else if (byte === CR && this.#digits > 0) {
        this.#state = NUMBER_LF;
        break;
      } else if (byte === MINUS && this.#digits === 0 && !this.#negative) {
        this.#negative = true;
      } else {
        throw malformedFrame(`a length cannot hold byte ${byte}`);
      }
    }
    return at;
  }

  #closeNumber(): void {
    this.#state = TYPE;
    const shape = SHAPES[this.#type] ?? 0;
    if (this.#negative) {
      if (this.#number !== 1 || (this.#type !== DOLLAR && this.#type !== STAR))
        throw malformedFrame("a length is negative");
      this.#outstanding--;
    } else if (shape === SHAPE_BULK) {
      if (this.#number > this.#maxFrameBytes) throw tooLarge(this.#number, this.#maxFrameBytes);
      this.#state = this.#number === 0 ? BULK_CR : BULK;
    } else {
      this.#outstanding += elementsOf(this.#type, this.#number) - 1;
      if (this.#outstanding > MAX_ELEMENTS) throw tooLarge(this.#outstanding, MAX_ELEMENTS);
    }
  }
}

const TYPE = 0;
const NUMBER = 1;
const NUMBER_LF = 2;
const LINE = 3;
const LINE_LF = 4;
const BULK = 5;
const BULK_CR = 6;

const LF = 10;
const CR = 13;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const DOLLAR = 36;
const STAR = 42;
const PERCENT = 37;
const BAR = 124;
const MAX_DIGITS = 10;
const MAX_ELEMENTS = 2 ** 31;

const SHAPE_LINE = 1;
const SHAPE_BULK = 2;
const SHAPE_AGGREGATE = 3;
const SHAPES = new Uint8Array(256);
for (const type of "+-:_#,(") SHAPES[type.charCodeAt(0)] = SHAPE_LINE;
for (const type of "$=!") SHAPES[type.charCodeAt(0)] = SHAPE_BULK;
for (const type of "*~>%|") SHAPES[type.charCodeAt(0)] = SHAPE_AGGREGATE;

function elementsOf(type: number, count: number): number {
  if (type === PERCENT) return 2 * count;
  // an attribute is followed by the value that it describes
  return type === BAR ? 2 * count + 1 : count;
}

function expect(byte: number | undefined, wanted: number): void {
  if (byte !== wanted) throw malformedFrame(`expected byte ${wanted}, found ${byte}`);
}

function malformedFrame(why: string): Fault {
  return new Fault(faults.malformed, `The peer sent what is not RESP: ${why}.`);
}

function tooLarge(size: number, limit: number): Fault {
  return new Fault(faults.tooLarge, `A message of ${size} passes the limit of ${limit}.`, { size, limit });
}
