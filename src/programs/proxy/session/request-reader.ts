import type { Socket } from "node:net";
import { Fault } from "#kit/base/fault";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { INCOMPLETE } from "../../../ports/resp/frame-scanner.ts";
import type { SessionParts } from "../client/session-parts.ts";
import { AccountedBytes } from "../limits/accounted-bytes.ts";
import { LIMITS } from "../limits/limits.ts";
import { OVER_BUDGET } from "../limits/memory-budget.ts";
import { wordsOf } from "../protocol/arguments.ts";
import { lastClassified, lastMayCross } from "../protocol/commands.ts";
import { crossesSlots } from "../protocol/crossing.ts";
import { classifyFor } from "../protocol/site-commands.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import { errorReply, replies } from "../protocol/replies.ts";
import { REQUEST_LIMITS } from "../protocol/request-limits.ts";
import { RequestScanner } from "../protocol/request-scanner.ts";
import type { Lane } from "../upstream/lane.ts";
import { copyIfShared } from "../upstream/lent-memory.ts";
import { keepBlock } from "../upstream/request-blocks.ts";
import { Wire } from "../upstream/wire.ts";
import { PartialRequest } from "./partial-request.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";
import { forwardKeyed, type KeyedParts } from "./keyed-requests.ts";
import type { UploadRoute } from "./upload-route.ts";
import { lastHeldUntil } from "../upstream/only-route.ts";

/** Takes the requests that a reader finds. */
export interface RequestTaker {
  /** Requests can be taken now. */
  readonly canTake: boolean;
  /** Work must be over before the next request can be taken. */
  readonly isWaiting: boolean;
  /** Each request goes to a lane as it is. */
  readonly isPlain: boolean;
  /** The lane for plain requests; undefined when each request must be offered to `take`. */
  plainLane(): Lane | undefined;
  /** Takes one request; false when it cannot be taken yet. */
  take(request: Buffer, command: CommandEntry | undefined): boolean;
}

/** The parts of a session that reading its requests uses. */
type ReadParts = {
  readonly life: SessionParts["life"] & {
    /** The client sends nothing more. */
    endInput(): void;
    /** The connection is gone. */
    close(): void;
  };
  readonly endpoint: Pick<SessionEndpoint, "memory" | "isSite" | "isCluster" | "counters" | "routes" | "place">;
  readonly identity: KeyedParts["identity"] & { readonly authenticated: boolean };
  readonly turns: RequestTaker;
  readonly pinned: { readonly current: { readonly work: { readonly awaitsBlocking: boolean } } | undefined };
  /** Where plain requests go: those forwarded while `waitedSince` is set have waited for a primary since then. */
  readonly shared: KeyedParts["shared"];
  readonly uploads: UploadRoute;
};

/**
 * Finds the requests in what a client sends. Plain ones go to a lane together, others one at a time to `take`. What cannot
 * be taken now stays unread, and `pump` goes on when something has changed.
 */
export class RequestReader {
  /** The reply to what is no request: no request can follow it. */
  protocolError: Buffer | undefined;
  /** The connection of the client. */
  readonly wire: Wire;
  readonly #parts: ReadParts;
  readonly #scanner = new RequestScanner();
  readonly #partial = new PartialRequest();
  readonly #held: AccountedBytes;
  #unread: Buffer[] = [];
  #paused = false;
  /** When it was paused, by `performance.now`. */
  #pausedAt = 0;
  #pumping = false;
  #isOver = false;

  constructor(parts: ReadParts, socket: Socket) {
    this.#parts = parts;
    this.wire = new Wire(socket, "shared", {
      data: (bytes, length) => {
        if (parts.life.takesRequests) this.#receive(bytes, length);
      },
      end: () => void parts.life.endInput(),
      closed: () => void parts.life.close(),
      drained: () => undefined,
    });
    this.#held = new AccountedBytes(parts.endpoint.memory, () => {
      parts.life.cut(`its requests have not arrived whole, or cannot be taken yet, and ${OVER_BUDGET}`);
    });
  }

  /** All that has arrived has been taken. */
  get empty(): boolean {
    return this.#unread.length === 0;
  }

  /** Something waits to be taken, or has not been read from the client's connection. */
  get waiting(): boolean {
    return this.#unread.length > 0 || this.#paused;
  }

  /** Takes the requests in `bytes` up to `length`, which arrive now. They may lie in shared memory: what is kept of them is copied. */
  #receive(bytes: Buffer, length: number): void {
    this.#parts.endpoint.counters.receivedBytes += length;
    const at = this.#forwardPlain(bytes, length);
    if (at < length) this.#receiveOther(bytes.subarray(at, length));
  }

  /** The common case at full speed: forwards the plain requests that `bytes` begin with; the position behind them. */
  #forwardPlain(bytes: Buffer, length: number): number {
    const { turns, shared, uploads } = this.#parts;
    if (!this.#partial.empty || this.#unread.length > 0 || !turns.canTake || uploads.current !== undefined) return 0;
    const lane = turns.plainLane();
    const scanner = this.#scanner;
    if (lane === undefined) return forwardKeyed(this.#parts, scanner, bytes, length);
    const classify = classifyFor(this.#parts.endpoint);
    let at = 0;
    let count = 0;
    for (let past = 0; (past = scanner.plain(bytes, at, length)) !== INCOMPLETE; at = past) {
      if (classify(bytes, scanner.nameAt, scanner.nameLength) !== undefined) break;
      if (lastMayCross()) this.#noteCrossing(bytes.subarray(at, past));
      count++;
    }
    if (count > 0) shared.push(lane, count, bytes, at);
    return at;
  }

  #noteCrossing(request: Buffer): void {
    const command = lastClassified();
    if (crossesSlots(command, request)) this.#parts.endpoint.counters.noteCrossing(command);
  }

  #receiveOther(bytes: Buffer): void {
    if (this.#unread.length > 0 || !this.#parts.turns.canTake) {
      this.#unread.push(copyIfShared(bytes));
      this.#pause();
    } else if (!this.#consume(bytes)) this.#pause();
    else if (this.#unread.length > 0) this.pump();
    this.#note();
  }

  /** Takes the requests that have arrived, as far as possible now; false when a caller further up the stack does that already. */
  pump(): boolean {
    if (this.#pumping) return false;
    this.#parts.uploads.current?.start();
    this.#pumping = true;
    const { shared, endpoint } = this.#parts;
    shared.waitedSince = this.#paused && this.#pausedAt < lastHeldUntil(endpoint) ? this.#pausedAt : 0;
    while (this.#unread.length > 0 && this.#parts.turns.canTake) {
      if (!this.#consume(this.#unread.shift() ?? Buffer.alloc(0))) break;
    }
    shared.waitedSince = 0;
    this.#pumping = false;
    if (this.#paused && this.#mayRead) this.resume();
    this.#note();
    return true;
  }

  /** Reads on from the client's connection. */
  resume(): void {
    if (this.#paused) this.wire.resume();
    this.#paused = false;
  }

  /** Takes nothing more, and forgets what was not taken. */
  drop(): void {
    this.#isOver = true;
    this.#unread = [];
    this.#partial.drop();
    this.#note();
  }

  /** Takes the requests in `bytes`; what is left over is unread again. False: nothing more can be taken now. */
  #consume(bytes: Buffer): boolean {
    const upload = this.#parts.uploads.current;
    if (this.#partial.empty && upload === undefined) return this.#takeAll(bytes);
    const past = this.#scan(bytes, 0);
    if (this.protocolError !== undefined) {
      this.#parts.life.finish();
      return false;
    }
    if (upload !== undefined) return this.#feed(upload, bytes, past);
    if (past === INCOMPLETE) return this.#keepPartial(bytes);
    const request = this.#partial.join(bytes.subarray(0, past));
    if (past < bytes.length) this.#unread.unshift(copyIfShared(bytes.subarray(past)));
    return this.#takeAll(request);
  }

  /** Puts plain requests on the lane together; one that is not plain ends the run. */
  #takeAll(bytes: Buffer): boolean {
    const scanner = this.#scanner;
    const lane = this.#parts.turns.plainLane();
    const classify = classifyFor(this.#parts.endpoint);
    let at = 0;
    let count = 0;
    for (;;) {
      const past = this.#scan(bytes, at);
      if (past === INCOMPLETE) break;
      const unusual = scanner.inline || scanner.empty;
      const command = unusual ? undefined : classify(bytes, scanner.nameAt, scanner.nameLength);
      if (lane === undefined || unusual || command !== undefined) {
        if (lane !== undefined && count > 0) this.#parts.shared.push(lane, count, bytes, at);
        return this.#takeOne(copyIfShared(bytes.subarray(at)), past - at, command);
      }
      if (lastMayCross()) this.#noteCrossing(bytes.subarray(at, past));
      count++;
      at = past;
    }
    if (lane !== undefined && count > 0) this.#parts.shared.push(lane, count, bytes, at);
    if (this.protocolError !== undefined) this.#parts.life.finish();
    else if (at < bytes.length) return this.#keepPartial(bytes.subarray(at));
    return true;
  }

  /** Offers the request that `bytes` begins with; what follows it, or with it when it is not taken, is unread again. */
  #takeOne(bytes: Buffer, length: number, command: CommandEntry | undefined): boolean {
    keepBlock(bytes);
    const taken = this.#offer(bytes.subarray(0, length), command);
    const rest = taken ? length : 0;
    if (rest < bytes.length) this.#unread.unshift(bytes.subarray(rest));
    return taken;
  }

  #offer(request: Buffer, command: CommandEntry | undefined): boolean {
    if (this.#scanner.inline) return this.#offerLine(request);
    return this.#scanner.empty || this.#parts.turns.take(request, command);
  }

  #offerLine(line: Buffer): boolean {
    const words = wordsOf(line);
    if (words === undefined) {
      this.protocolError = replies.unbalanced;
      this.#parts.life.finish();
      return true;
    }
    const [name] = words;
    if (name === undefined) return true;
    return this.#parts.turns.take(encodeCommand(words), classifyFor(this.#parts.endpoint)(name, 0, name.length));
  }

  #keepPartial(bytes: Buffer): boolean {
    const large = this.#partial.push(bytes, this.#scanner.missing);
    if (!this.#parts.identity.authenticated && this.#partial.bytes > REQUEST_LIMITS.guestBytes) {
      this.#parts.life.cut("the request is too large");
      return false;
    }
    if (large) this.#parts.uploads.begin(this.#partial, () => void this.#note());
    return true;
  }

  /** Passes on what belongs to the large request, which ends at `past`. */
  #feed(upload: NonNullable<UploadRoute["current"]>, bytes: Buffer, past: number): boolean {
    const last = past !== INCOMPLETE;
    if (last && past < bytes.length) this.#unread.unshift(copyIfShared(bytes.subarray(past)));
    upload.take(copyIfShared(last ? bytes.subarray(0, past) : bytes), last);
    return true;
  }

  /** The end of the next request; INCOMPLETE also for what is no request, which is then in `protocolError`. */
  #scan(bytes: Buffer, at: number): number {
    try {
      return this.#scanner.next(bytes, at, bytes.length);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.protocolError = errorReply(`ERR ${error.message}`);
      return INCOMPLETE;
    }
  }

  #note(): void {
    this.#held.set(this.#partial.heldBytes + this.#unreadBytes);
  }

  /** What is unread, and the memory around it. */
  get #unreadBytes(): number {
    if (this.#unread.length === 0) return 0;
    return this.#unread.reduce((sum, { length }) => sum + Math.max(length, LIMITS.leastHeldBytes), 0);
  }

  /** All was taken; or the client waits for something that may take long, and must be seen to leave: an engine would go on reading as well. */
  get #mayRead(): boolean {
    const { pinned, turns, life } = this.#parts;
    if (!life.takesRequests) return true; // and discards it
    if (turns.isWaiting || pinned.current?.work.awaitsBlocking === true)
      return this.#unreadBytes < LIMITS.behindBlockingBytes;
    return this.#unread.length === 0 && turns.canTake;
  }

  #pause(): void {
    // what still arrives is read, or the end of the connection would not be seen
    if (this.#isOver) this.#unread = [];
    if (this.#paused || this.#unread.length === 0 || this.#mayRead) return;
    this.#paused = true;
    this.#pausedAt = performance.now();
    this.wire.pause();
  }
}
