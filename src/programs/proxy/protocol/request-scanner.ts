import { Fault } from "#kit/base/fault";
import { INCOMPLETE } from "../../../ports/resp/frame-scanner.ts";
import { faults } from "../faults.ts";
import { REQUEST_LIMITS } from "./request-limits.ts";

/**
 * Finds the ends of requests in any chunking, and is stricter than an engine: many clients share one connection to the
 * engine, so that what is forwarded must be exactly one answered request. Throws PROXY_BAD_REQUEST, after which the
 * client's next request cannot be found any more.
 */
export class RequestScanner {
  /** Where the command's name stands in the bytes given last; meaningless when the request began in earlier bytes. */
  nameAt = 0;
  nameLength = 0;
  /** Asks for nothing (`*0`), and is answered by nothing. */
  empty = false;
  /** The request is a line of words, as typed by hand. */
  inline = false;
  #state = START;
  #strings = 0;
  #number = 0;
  #digits = 0;
  #size = 0;

  /** Bytes that are missing at least of the request whose end was not found. */
  get missing(): number {
    return this.#state === BYTES ? this.#number + "\r\n".length : 1;
  }

  /** Goes on in `bytes` from `at` up to `end`: the position behind the current request, or INCOMPLETE. */
  next(bytes: Uint8Array, at: number, end: number): number {
    if (this.#state === START) {
      this.inline = at < end && bytes[at] !== STAR;
      const past = this.inline ? this.#line(bytes, at, end) : this.#whole(bytes, at, end);
      if (past !== INCOMPLETE) return past;
      this.#size = 0;
    }
    const past = this.inline ? this.#line(bytes, at, end) : this.#scan(bytes, at, end);
    this.#size += (past === INCOMPLETE ? end : past) - at;
    if (this.#size > REQUEST_LIMITS.bytes) throw bad("request is too large");
    if (past === INCOMPLETE && at < end && this.inline) this.#state = INSIDE_LINE;
    else if (past !== INCOMPLETE) this.#state = START;
    return past;
  }

  /** The position behind a request that begins at `at` and lies in `bytes` as a whole; INCOMPLETE for any other. Changes no state. */
  plain(bytes: Uint8Array, at: number, end: number): number {
    if (this.#state !== START || at >= end || bytes[at] !== STAR) return INCOMPLETE;
    try {
      const past = this.#whole(bytes, at, end);
      return this.empty ? INCOMPLETE : past;
    } catch {
      return INCOMPLETE; // `next` says what is wrong with it
    }
  }

  /** The common case at full speed: the request lies in these bytes as a whole. Changes no state. */
  #whole(bytes: Uint8Array, start: number, end: number): number {
    let at = this.#length(bytes, start + 1, end, REQUEST_LIMITS.strings);
    if (at === INCOMPLETE) return INCOMPLETE;
    const strings = this.#number;
    this.empty = strings === 0;
    for (let i = 0; i < strings; i++) {
      if (at >= end) return INCOMPLETE;
      expectString(bytes[at] ?? 0);
      at = this.#length(bytes, at + 1, end, REQUEST_LIMITS.string);
      if (at === INCOMPLETE) return INCOMPLETE;
      if (i === 0) {
        this.nameAt = at;
        this.nameLength = this.#number;
      }
      at += this.#number + 2;
      if (at > end) return INCOMPLETE;
      if (bytes[at - 2] !== CR || bytes[at - 1] !== LF) throw bad("a string is longer than its length");
    }
    return at;
  }

  /** Reads digits and their line end; the value is in `#number`. */
  #length(bytes: Uint8Array, start: number, end: number, limit: number): number {
    let at = start;
    let value = 0;
    let byte = 0;
    while (at < end && (byte = bytes[at] ?? 0) !== CR) {
      if (byte < ZERO || byte > NINE || (value === 0 && at > start)) return this.#oddLength(bytes, start, at, end);
      value = value * 10 + byte - ZERO;
      if (value > limit) throw invalid(limit === REQUEST_LIMITS.strings);
      at++;
    }
    if (at + 2 > end) return INCOMPLETE;
    if (at === start || bytes[at + 1] !== LF) throw invalid(limit === REQUEST_LIMITS.strings);
    this.#number = value;
    return at + 2;
  }

  /** A negative number of strings asks for nothing, as `*0` does; any other oddity is no RESP. */
  #oddLength(bytes: Uint8Array, start: number, at: number, end: number): number {
    const counting = bytes[start - 1] === STAR;
    if (!(counting && at === start && bytes[at] === MINUS)) throw invalid(counting);
    let past = at + 1;
    while (past < end && bytes[past] !== CR)
      if (!isNegativeDigit(bytes[past++] ?? 0, past - at - 2)) throw invalid(true);
    if (past + 2 > end) return INCOMPLETE;
    if (past === at + 1 || bytes[past + 1] !== LF) throw invalid(true);
    this.#number = 0;
    return past + 2;
  }

  #line(bytes: Uint8Array, start: number, end: number): number {
    const limit = Math.min(end, start + REQUEST_LIMITS.line - this.#size);
    for (let at = start; at < limit; at++) if (bytes[at] === LF) return at + 1;
    if (end > limit) throw bad("too big inline request");
    return INCOMPLETE;
  }

  /** The general case: goes on where earlier bytes ended. */
  #scan(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      if (this.#state === BYTES) at = this.#skip(at, end);
      else {
        const byte = bytes[at++] ?? 0;
        if (this.#step(byte)) return at;
      }
    }
    return INCOMPLETE;
  }

  /** Goes over bytes of a string; the position behind them. */
  #skip(at: number, end: number): number {
    const length = Math.min(this.#number, end - at);
    this.#number -= length;
    if (this.#number === 0) this.#state = BYTES_CR;
    return at + length;
  }

  /** Takes in one byte of structure; true when the request ends with it. */
  #step(byte: number): boolean {
    switch (this.#state) {
      case START:
        this.#begin(COUNT);
        return false;
      case COUNT:
      case LENGTH:
        if (byte === CR && this.#digits > 0) this.#state = this.#state === COUNT ? COUNT_LF : LENGTH_LF;
        else this.#digit(byte);
        return false;
      case COUNT_LF:
        expect(byte, LF);
        if (this.#number === NEGATIVE) throw invalid(true);
        this.#strings = this.#number;
        this.empty = this.#strings <= 0;
        this.#state = DOLLAR_SIGN;
        return this.empty;
      case DOLLAR_SIGN:
        expectString(byte);
        this.#begin(LENGTH);
        return false;
      case LENGTH_LF:
        expect(byte, LF);
        this.#state = this.#number === 0 ? BYTES_CR : BYTES;
        return false;
      case BYTES_CR:
        expect(byte, CR);
        this.#state = BYTES_LF;
        return false;
      default:
        expect(byte, LF);
        this.#state = DOLLAR_SIGN;
        return --this.#strings === 0;
    }
  }

  #begin(state: number): void {
    this.#state = state;
    this.#number = 0;
    this.#digits = 0;
  }

  #digit(byte: number): void {
    const counting = this.#state === COUNT;
    const isSign = counting && this.#digits === 0 && byte === MINUS;
    this.#number = isSign ? NEGATIVE : this.#numberWith(byte, counting);
    this.#digits++;
    if (this.#number > (counting ? REQUEST_LIMITS.strings : REQUEST_LIMITS.string)) throw invalid(counting);
  }

  /** The number with one more digit; of a negative one only that it is negative. */
  #numberWith(byte: number, counting: boolean): number {
    if (this.#number < 0 && isNegativeDigit(byte, this.#digits - 1)) return -1;
    if (byte < ZERO || byte > NINE || this.#number < 0 || (this.#number === 0 && this.#digits > 0))
      throw invalid(counting);
    return this.#number * 10 + byte - ZERO;
  }
}

const START = 0;
const COUNT = 1;
const COUNT_LF = 2;
const DOLLAR_SIGN = 3;
const LENGTH = 4;
const LENGTH_LF = 5;
const BYTES = 6;
const BYTES_CR = 7;
const BYTES_LF = 8;
const INSIDE_LINE = 9;

/** Stands for a minus sign whose digit has not arrived yet. */
const NEGATIVE = -2;

const LF = 10;
const CR = 13;
const DOLLAR = 36;
const STAR = 42;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;

/** The digit with that number behind a minus sign: engines read numbers of 64 bits. */
function isNegativeDigit(byte: number, index: number): boolean {
  return byte >= (index === 0 ? ZERO + 1 : ZERO) && byte <= NINE && index < NEGATIVE_DIGITS;
}

/** With one more, some are no number of 64 bits. */
const NEGATIVE_DIGITS = 18;

function expect(byte: number, wanted: number): void {
  if (byte !== wanted) throw bad(`expected byte ${wanted}, found ${byte}`);
}

function expectString(byte: number): void {
  if (byte !== DOLLAR) throw bad(`expected '$', got '${String.fromCharCode(byte)}'`);
}

/** Of the number of strings, or of a string; in the words of engines. */
function invalid(counting: boolean): Fault {
  return bad(counting ? "invalid multibulk length" : "invalid bulk length");
}

function bad(why: string): Fault {
  return new Fault(faults.badRequest, `Protocol error: ${why}`);
}
