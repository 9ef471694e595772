import { Fault } from "../../../core/base/fault.ts";
import { INCOMPLETE } from "../../../ports/resp/scan.ts";
import { faults } from "../faults.ts";

/** A request of more bytes is refused; one string may be as long as engines allow. */
const REQUEST_LIMITS = { bytes: 600 * 2 ** 20, string: 512 * 2 ** 20, strings: 2 ** 20, line: 65_536 } as const;

/**
 * Finds the ends of requests in any chunking, and is stricter than an engine: many clients share one connection to the
 * engine, so that what is forwarded must be exactly one answered request. Throws PROXY_BAD_REQUEST, after which the
 * client cannot be understood any more.
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
    if (this.#size > REQUEST_LIMITS.bytes) throw bad("too big a request");
    if (past === INCOMPLETE && at < end && this.inline) this.#state = INSIDE_LINE;
    else if (past !== INCOMPLETE) this.#state = START;
    return past;
  }

  /** The common case at full speed: the request lies in these bytes as a whole. Changes no state. */
  #whole(bytes: Uint8Array, start: number, end: number): number {
    let at = this.#length(bytes, start + 1, end, REQUEST_LIMITS.strings);
    if (at === INCOMPLETE) return INCOMPLETE;
    const strings = this.#number;
    this.empty = strings === 0;
    for (let i = 0; i < strings; i++) {
      if (at >= end) return INCOMPLETE;
      if (bytes[at] !== DOLLAR) throw bad(`expected '$'`);
      at = this.#length(bytes, at + 1, end, REQUEST_LIMITS.string);
      if (at === INCOMPLETE) return INCOMPLETE;
      if (i === 0) {
        this.nameAt = at;
        this.nameLength = this.#number;
      }
      at += this.#number + 2;
      if (at > end) return INCOMPLETE;
      if (bytes[at - 2] !== CR || bytes[at - 1] !== LF) throw bad("a string is longer than it says");
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
      if (value > limit) throw bad("invalid length");
      at++;
    }
    if (at + 2 > end) return INCOMPLETE;
    if (at === start || bytes[at + 1] !== LF) throw bad("invalid length");
    this.#number = value;
    return at + 2;
  }

  /** `*-1` asks for nothing, as `*0` does; any other oddity is no RESP. */
  #oddLength(bytes: Uint8Array, start: number, at: number, end: number): number {
    const minus = at === start && bytes[at] === MINUS && bytes[start - 1] === STAR;
    if (!minus) throw bad("invalid length");
    if (end - start < "-1\r\n".length) return INCOMPLETE;
    if (bytes[at + 1] !== ZERO + 1 || bytes[at + 2] !== CR || bytes[at + 3] !== LF) throw bad("invalid length");
    this.#number = 0;
    return at + 4;
  }

  #line(bytes: Uint8Array, start: number, end: number): number {
    const limit = Math.min(end, start + REQUEST_LIMITS.line - this.#size);
    for (let at = start; at < limit; at++) if (bytes[at] === LF) return at + 1;
    if (end > limit) throw bad("too big inline request");
    return INCOMPLETE;
  }

  #scan(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      const byte = bytes[at] ?? 0;
      switch (this.#state) {
        case START:
          this.#begin(COUNT);
          at++;
          break;
        case COUNT:
        case LENGTH:
          at++;
          if (byte === CR && this.#digits > 0) this.#state = this.#state === COUNT ? COUNT_LF : LENGTH_LF;
          else this.#digit(byte);
          break;
        case COUNT_LF:
          at = expect(byte, LF, at);
          this.#strings = this.#number;
          this.empty = this.#strings <= 0;
          if (this.#number === NEGATIVE) throw bad("invalid length");
          if (this.empty) return at;
          this.#state = DOLLAR_SIGN;
          break;
        case DOLLAR_SIGN:
          at = expect(byte, DOLLAR, at);
          this.#begin(LENGTH);
          break;
        case LENGTH_LF:
          at = expect(byte, LF, at);
          this.#state = this.#number === 0 ? BYTES_CR : BYTES;
          break;
        case BYTES: {
          const take = Math.min(this.#number, end - at);
          at += take;
          this.#number -= take;
          if (this.#number === 0) this.#state = BYTES_CR;
          break;
        }
        case BYTES_CR:
          at = expect(byte, CR, at);
          this.#state = BYTES_LF;
          break;
        default:
          at = expect(byte, LF, at);
          if (--this.#strings === 0) return at;
          this.#state = DOLLAR_SIGN;
      }
    }
    return INCOMPLETE;
  }

  #begin(state: number): void {
    this.#state = state;
    this.#number = 0;
    this.#digits = 0;
  }

  #digit(byte: number): void {
    const counting = this.#state === COUNT;
    if (counting && this.#digits === 0 && byte === MINUS) this.#number = NEGATIVE;
    else if (this.#number === NEGATIVE && byte === ZERO + 1 && this.#digits === 1) this.#number = -1;
    else if (byte < ZERO || byte > NINE || this.#number < 0 || (this.#number === 0 && this.#digits > 0))
      throw bad("invalid length");
    else this.#number = this.#number * 10 + byte - ZERO;
    this.#digits++;
    if (this.#number > (counting ? REQUEST_LIMITS.strings : REQUEST_LIMITS.string)) throw bad("invalid length");
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

/** Stands for a minus sign whose digit has not come yet. */
const NEGATIVE = -2;

const LF = 10;
const CR = 13;
const DOLLAR = 36;
const STAR = 42;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;

function expect(byte: number, wanted: number, at: number): number {
  if (byte !== wanted) throw bad(`byte ${byte} stands where ${wanted} must`);
  return at + 1;
}

function bad(why: string): Fault {
  return new Fault(faults.badRequest, `Protocol error: ${why}`);
}
