import { Fault } from "../../../core/base/fault.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { INCOMPLETE } from "../../../ports/resp/frame-scanner.ts";
import { wordsOf } from "../protocol/arguments.ts";
import { classify } from "../protocol/commands.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import { PartialRequest } from "../protocol/partial-request.ts";
import type { PartialBudget } from "../protocol/partial-request.ts";
import { errorReply, replies } from "../protocol/replies.ts";
import { RequestScanner } from "../protocol/request-scanner.ts";
import type { Lane } from "../upstream/lane.ts";
import type { Wire } from "../upstream/wire.ts";
import type { Upload } from "./upload.ts";

/** What a reader needs of the session that takes the requests. */
export interface RequestTaker {
  /** Requests can be taken now. */
  readonly canTake: boolean;
  /** The client has not authenticated. */
  readonly isGuest: boolean;
  /** Present while a request flows that is too large to be collected. */
  readonly upload: Upload | undefined;
  /** Starts an upload with the beginning of a request, unless the request must be collected or the session is pinned. */
  beginUpload(head: PartialRequest): void;
  /** The lane for plain requests; undefined when each request must be offered to `take`. */
  plainLane(): Lane | undefined;
  /** Forwards `count` plain requests that lie in `bytes` up to `end`. */
  forward(lane: Lane, count: number, bytes: Buffer, end: number): void;
  /** Takes one request; false when it cannot be taken yet. */
  take(request: Buffer, command: CommandEntry | undefined): boolean;
  /** Answers in the engine's place; false when earlier replies are missing. */
  answer(reply: Buffer): boolean;
  /** Ends at the next boundary between requests. */
  finish(): void;
  /** Ends at once. */
  cut(why: string): void;
}

/**
 * Finds the requests in what a client sends. Plain ones go to a lane together, others one at a time to `take`. What cannot
 * be taken now stays unread, and `pump` goes on when something has changed.
 */
export class RequestReader {
  /** The reply to what is no request: no request can follow it. */
  protocolError: Buffer | undefined;
  readonly #taker: RequestTaker;
  readonly #wire: Wire;
  readonly #scanner = new RequestScanner();
  readonly #partial: PartialRequest;
  #unread: Buffer[] = [];
  #paused = false;
  #pumping = false;

  constructor(taker: RequestTaker, wire: Wire, budget: PartialBudget) {
    this.#taker = taker;
    this.#wire = wire;
    this.#partial = new PartialRequest(budget);
  }

  /** All that has arrived has been taken. */
  get empty(): boolean {
    return this.#unread.length === 0;
  }

  /** Something waits to be taken, or has not been read from the client's connection. */
  get waiting(): boolean {
    return this.#unread.length > 0 || this.#paused;
  }

  /** Takes the requests in bytes that arrive now. */
  receive(bytes: Buffer): void {
    if (this.#unread.length > 0 || !this.#taker.canTake) {
      this.#unread.push(bytes);
      this.#pause();
    } else if (!this.#consume(bytes)) this.#pause();
    else if (this.#unread.length > 0) this.pump();
  }

  /** Takes what has arrived, as far as possible now; false when that is being done already, further up the stack. */
  pump(): boolean {
    if (this.#pumping) return false;
    this.#taker.upload?.start();
    this.#pumping = true;
    while (this.#unread.length > 0 && this.#taker.canTake) {
      if (!this.#consume(this.#unread.shift() ?? Buffer.alloc(0))) break;
    }
    this.#pumping = false;
    if (this.#unread.length === 0 && this.#taker.canTake) this.resume();
    return true;
  }

  /** Reads on from the client's connection. */
  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#wire.resume();
  }

  /** Forgets what was not taken. */
  drop(): void {
    this.#unread = [];
    this.#partial.drop();
  }

  /** Takes the requests in `chunk`; what is left over is unread again. False: nothing more can be taken now. */
  #consume(chunk: Buffer): boolean {
    const { upload } = this.#taker;
    if (this.#partial.empty && upload === undefined) return this.#takeAll(chunk);
    const past = this.#scan(chunk, 0);
    if (this.protocolError !== undefined) {
      this.#taker.finish();
      return false;
    }
    if (upload !== undefined) return this.#feed(upload, chunk, past);
    if (past === INCOMPLETE) return this.#keepPartial(chunk);
    const request = this.#partial.join(chunk.subarray(0, past));
    if (past < chunk.length) this.#unread.unshift(chunk.subarray(past));
    return this.#takeAll(request);
  }

  /** Puts plain requests on the lane together; one that is not plain ends the run. */
  #takeAll(chunk: Buffer): boolean {
    const scanner = this.#scanner;
    const lane = this.#taker.plainLane();
    let at = 0;
    let count = 0;
    for (;;) {
      const past = this.#scan(chunk, at);
      if (past === INCOMPLETE) break;
      const unusual = scanner.inline || scanner.empty;
      const command = unusual ? undefined : classify(chunk, scanner.nameAt, scanner.nameLength);
      if (lane === undefined || unusual || command !== undefined) {
        if (lane !== undefined && count > 0) this.#taker.forward(lane, count, chunk, at);
        return this.#takeOne(chunk, at, past, command);
      }
      count++;
      at = past;
    }
    if (lane !== undefined && count > 0) this.#taker.forward(lane, count, chunk, at);
    if (this.protocolError !== undefined) this.#taker.finish();
    else if (at < chunk.length) return this.#keepPartial(chunk.subarray(at));
    return true;
  }

  /** Offers the request between `at` and `past`; what follows it, or with it when it is not taken, is unread again. */
  #takeOne(chunk: Buffer, at: number, past: number, command: CommandEntry | undefined): boolean {
    const taken = this.#offer(chunk.subarray(at, past), command);
    const rest = taken ? past : at;
    if (rest < chunk.length) this.#unread.unshift(chunk.subarray(rest));
    return taken;
  }

  #offer(request: Buffer, command: CommandEntry | undefined): boolean {
    if (this.#scanner.inline) return this.#offerLine(request);
    return this.#scanner.empty || this.#taker.take(request, command);
  }

  #offerLine(line: Buffer): boolean {
    const words = wordsOf(line);
    if (words === undefined) return this.#taker.answer(replies.unbalanced);
    const [name] = words;
    if (name === undefined) return true;
    return this.#taker.take(encodeCommand(words), classify(name, 0, name.length));
  }

  #keepPartial(bytes: Buffer): boolean {
    const large = this.#partial.push(bytes);
    if (this.#partial.tooLarge(this.#taker.isGuest)) {
      this.#taker.cut("the request is too large");
      return false;
    }
    if (large) this.#taker.beginUpload(this.#partial);
    return true;
  }

  /** Passes on what belongs to the large request, which ends at `past`. */
  #feed(upload: Upload, chunk: Buffer, past: number): boolean {
    const last = past !== INCOMPLETE;
    if (last && past < chunk.length) this.#unread.unshift(chunk.subarray(past));
    upload.take(last ? chunk.subarray(0, past) : chunk, last);
    return true;
  }

  /** The end of the next request; INCOMPLETE also for what is no request, which is then in `protocolError`. */
  #scan(chunk: Buffer, at: number): number {
    try {
      return this.#scanner.next(chunk, at, chunk.length);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.protocolError = errorReply(`ERR ${error.message}`);
      return INCOMPLETE;
    }
  }

  #pause(): void {
    if (this.#paused || this.#unread.length === 0) return;
    this.#paused = true;
    this.#wire.pause();
  }
}
