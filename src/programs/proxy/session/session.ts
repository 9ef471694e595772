import type { Socket } from "node:net";
import { Fault } from "../../../core/base/fault.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { INCOMPLETE } from "../../../ports/resp/scan.ts";
import { wordsOf } from "../protocol/arguments.ts";
import { Backlog } from "./backlog.ts";
import { specialOf } from "../protocol/commands.ts";
import type { Special } from "../protocol/commands.ts";
import { LIMITS } from "../limits/limits.ts";
import type { SessionHost } from "./session-endpoint.ts";
import type { Identity } from "../client/identity.ts";
import type { Lane } from "../upstream/lane.ts";
import type { LostRequest } from "../upstream/requester.ts";
import type { Requester } from "../upstream/requester.ts";
import { OutputLimit } from "../client/output-limit.ts";
import { PartialRequest } from "../protocol/partial-request.ts";
import type { Pinned } from "../pinned/pinned.ts";
import { errorReply, replies } from "../protocol/replies.ts";
import { RequestScanner } from "../protocol/request-scanner.ts";
import { treat } from "./dispatch.ts";
import { Upload } from "./upload.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { Wire } from "../upstream/wire.ts";

/** `leaving` goes on until no transaction is open; `finishing` ends at the next boundary between requests; `closing` has sent FIN and discards what still arrives. */
type SessionState = "open" | "leaving" | "finishing" | "closing" | "closed";

/**
 * One client connection. Its requests are taken in order: plain ones go to a lane together, others one at a time by `treat`.
 * What cannot be taken now stays unread, and `pump` goes on when something has changed.
 */
export class Session implements Requester {
  inFlight = 0;
  readonly host: SessionHost;
  readonly identity: Identity;
  /** Present while the client has a connection to the engine for itself. */
  pinned: Pinned | undefined;
  /** Present while a request is on its way that is too large to be collected. */
  upload: Upload | undefined;
  /** Something must happen before the next request can be taken: a connection is being dialled. */
  waiting = false;
  state: SessionState = "open";
  readonly #wire: Wire;
  readonly #scanner = new RequestScanner();
  readonly #backlog: Backlog;
  readonly #output: OutputLimit;
  #unread: Buffer[] = [];
  readonly #partial: PartialRequest;
  #paused = false;
  #pumping = false;
  #inputEnded = false;
  /** Said before the end. */
  #lastWords: Buffer | undefined;
  #lane: Lane | undefined;
  #laneOf: Upstream | undefined;

  constructor(socket: Socket, host: SessionHost, identity: Identity) {
    this.host = host;
    this.identity = identity;
    this.#partial = new PartialRequest(host.counters);
    this.#backlog = new Backlog(this);
    this.#wire = new Wire(socket, {
      data: (bytes) => {
        this.#receive(bytes);
      },
      end: () => {
        this.#ended();
      },
      closed: () => {
        this.#closed();
      },
      drained: () => {
        this.pinned?.resume();
        this.pump();
      },
    });
    this.#output = new OutputLimit(this.#wire, host.clock, () => {
      this.cut("a client does not take its replies");
    });
  }

  get picky(): boolean {
    return this.#backlog.active;
  }

  /** True while a request of this client is at an engine; one that blocks does not count. */
  get busy(): boolean {
    return this.inFlight > 0 || (this.pinned?.busy ?? false) || (this.upload?.started ?? false);
  }

  /** True while the client waits for an answer of any kind. */
  get owed(): boolean {
    return this.busy || this.#backlog.active || (this.pinned?.owed ?? false);
  }

  /** The client does not take its replies as fast as they come. */
  get clogged(): boolean {
    return this.#wire.queued > LIMITS.comfortableBytes;
  }

  /** Takes what has arrived, as far as possible now. */
  pump(): void {
    if (this.#pumping) return;
    this.upload?.start();
    this.#pumping = true;
    while (this.#unread.length > 0 && this.#mayAdvance) {
      if (!this.#consume(this.#unread.shift() ?? Buffer.alloc(0))) break;
    }
    this.#pumping = false;
    if (this.#unread.length === 0 && this.#mayAdvance) this.#resume();
    this.#endIfRead();
  }

  /** The primary is another one, or can be reached again. */
  upstreamChanged(): void {
    this.pinned?.upstreamChanged();
    this.upload?.upstreamChanged();
    this.#backlog.resend();
    this.pump();
  }

  /** Answers by itself, in order; false when replies of earlier requests are awaited first. */
  local(reply: Buffer): boolean {
    if (this.owed) return false;
    this.host.counters.requests++;
    this.deliver(reply);
    return true;
  }

  /** Forwards one request that lies alone in `request`; false when it cannot be sent now. */
  forward(request: Buffer): boolean {
    const lane = this.usableLane();
    if (lane === undefined) return this.host.givenUp ? this.local(replies.noPrimary) : false;
    this.host.counters.requests++;
    lane.push(this, 1, request, 0, request.length);
    return true;
  }

  usableLane(): Lane | undefined {
    const { upstream } = this.host;
    const lane = this.#lane;
    if (lane !== undefined && !lane.closed && this.#laneOf === upstream) return lane.clogged ? undefined : lane;
    // replies of the old lane come first
    if (this.inFlight > 0) return undefined;
    const choice = upstream?.choose(this.identity.place);
    this.#lane = choice !== undefined && "lane" in choice ? choice.lane : undefined;
    this.#laneOf = upstream;
    return this.#lane;
  }

  /** The client's place has changed: another lane is to be used. */
  leaveLane(): void {
    this.#lane = undefined;
  }

  deliver(bytes: Buffer): void {
    if (this.state === "closed") return;
    this.#wire.write(bytes);
    if (!this.clogged) return;
    this.pinned?.pause();
    this.#output.check();
  }

  answered(request: Buffer, reply: Buffer): void {
    this.#backlog.answered(request, reply);
  }

  settled(): void {
    if (this.#backlog.active && this.inFlight === 0) this.#backlog.settled();
    if (this.busy) return;
    this.host.settled(this);
    if (this.state === "finishing") this.finish();
    else if (this.state === "leaving") this.leave();
    if (this.#unread.length > 0 || this.#paused || this.upload !== undefined) this.pump();
  }

  /** The large request is answered. */
  uploaded(answer: Buffer): void {
    this.upload = undefined;
    this.host.counters.requests++;
    this.deliver(answer);
    this.settled();
    this.pump();
  }

  lost(requests: readonly LostRequest[], torn: boolean): void {
    this.#lane = undefined;
    if (torn || !this.#backlog.takeOver(requests)) this.cut("the engine is gone with a request of unknown outcome");
    else this.host.settled(this);
  }

  /** Ends at the next boundary between requests and transactions. */
  leave(): void {
    if (this.state === "open") this.state = "leaving";
    if (this.state === "leaving" && this.pinned?.midway !== true && this.upload === undefined) this.finish();
  }

  /** Ends at the next boundary between requests, at once when nothing is owed. */
  finish(): void {
    if (this.state === "closing" || this.state === "closed") return;
    this.state = "finishing";
    if (this.upload?.incomplete === true) this.#dropUpload();
    if (this.owed || this.waiting) return;
    this.#halfClose();
  }

  /** As `leave`, but a blocking command is taken back, and the end of a transaction is not awaited. */
  finishNow(): void {
    this.finish();
    this.pinned?.withdraw();
  }

  /** Ends without regard to what is outstanding. */
  cut(why: string): void {
    if (this.state === "closed") return;
    this.host.counters.cut++;
    this.host.log.warn("client connection cut", { why, client: this.identity.address });
    this.destroy();
  }

  destroy(): void {
    this.#wire.destroy();
    this.#closed();
  }

  /** The session can share a lane again. */
  dropPin(): void {
    this.#releasePin();
    this.leaveLane();
  }

  #halfClose(): void {
    this.state = "closing";
    this.#unread = [];
    this.#partial.drop();
    this.#releasePin();
    if (this.#lastWords !== undefined) this.#wire.write(this.#lastWords);
    this.#wire.halfClose();
    this.#resume();
  }

  get #mayAdvance(): boolean {
    if (this.state !== "open" && this.state !== "leaving") return false;
    if (this.upload !== undefined) return this.upload.receiving;
    return (
      !this.host.held && !this.waiting && !this.#backlog.active && this.inFlight < LIMITS.inFlight && !this.clogged
    );
  }

  #receive(bytes: Buffer): void {
    if (this.state !== "open" && this.state !== "leaving") return;
    if (this.#unread.length > 0 || !this.#mayAdvance) {
      this.#unread.push(bytes);
      this.#pause();
    } else if (!this.#consume(bytes)) this.#pause();
    else if (this.#unread.length > 0) this.pump();
  }

  /** Takes the requests in `chunk`; what is left over goes back to the unread. False: nothing more can be taken now. */
  #consume(chunk: Buffer): boolean {
    if (this.#partial.empty && this.upload === undefined) return this.#takeAll(chunk);
    const past = this.#scan(chunk, 0);
    if (this.#lastWords !== undefined) {
      this.finish();
      return false;
    }
    if (this.upload !== undefined) return this.#feed(this.upload, chunk, past);
    if (past === INCOMPLETE) return this.#keepPartial(chunk);
    const request = this.#partial.join(chunk.subarray(0, past));
    if (past < chunk.length) this.#unread.unshift(chunk.subarray(past));
    return this.#takeAll(request);
  }

  /** Puts plain requests on the lane together; one that is not ends the run, and what follows it is taken next. */
  #takeAll(chunk: Buffer): boolean {
    const scanner = this.#scanner;
    const lane = this.#isPlain ? this.usableLane() : undefined;
    let at = 0;
    let count = 0;
    for (;;) {
      const past = this.#scan(chunk, at);
      if (past === INCOMPLETE) break;
      const odd = scanner.inline || scanner.empty;
      const special = odd ? undefined : specialOf(chunk, scanner.nameAt, scanner.nameLength);
      if (lane === undefined || odd || special !== undefined) {
        this.#push(lane, count, chunk, at);
        const taken = this.#takeOne(chunk.subarray(at, past), special);
        const rest = taken ? past : at;
        if (rest < chunk.length) this.#unread.unshift(chunk.subarray(rest));
        return taken;
      }
      count++;
      at = past;
    }
    this.#push(lane, count, chunk, at);
    if (this.#lastWords !== undefined) this.finish();
    else if (at < chunk.length) return this.#keepPartial(chunk.subarray(at));
    return true;
  }

  #keepPartial(bytes: Buffer): boolean {
    const large = this.#partial.push(bytes);
    const tooLarge = this.#partial.tooLarge(!this.identity.authenticated);
    if (tooLarge) this.cut("a request is too large");
    else if (large && this.#isPlain) {
      this.upload = Upload.of(this, this.#partial);
      this.upload?.start();
    }
    return !tooLarge;
  }

  /** Passes on what belongs to the large request, which ends at `past`. */
  #feed(upload: Upload, chunk: Buffer, past: number): boolean {
    const last = past !== INCOMPLETE;
    if (last && past < chunk.length) this.#unread.unshift(chunk.subarray(past));
    upload.take(last ? chunk.subarray(0, past) : chunk, last);
    return true;
  }

  #dropUpload(): void {
    this.upload?.drop();
    this.upload = undefined;
  }

  /** The end of the next request; INCOMPLETE also when what stands there is none, which is the client's end. */
  #scan(chunk: Buffer, at: number): number {
    try {
      return this.#scanner.next(chunk, at, chunk.length);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#lastWords = errorReply(`ERR ${error.message}`);
      return INCOMPLETE;
    }
  }

  get #isPlain(): boolean {
    return this.pinned === undefined && this.identity.authenticated;
  }

  #push(lane: Lane | undefined, count: number, chunk: Buffer, end: number): void {
    if (count === 0 || lane === undefined) return;
    this.host.counters.requests += count;
    lane.push(this, count, chunk, 0, end);
  }

  #takeOne(request: Buffer, special: Special | undefined): boolean {
    if (this.#scanner.empty && !this.#scanner.inline) return true;
    return this.#scanner.inline ? this.#takeLine(request) : treat(this, request, special);
  }

  #takeLine(line: Buffer): boolean {
    const words = wordsOf(line);
    if (words === undefined) return this.local(replies.unbalanced);
    const [name] = words;
    if (name === undefined) return true;
    return treat(this, encodeCommand(words), specialOf(name, 0, name.length));
  }

  #ended(): void {
    this.#inputEnded = true;
    // a client that is gone while its command blocks must not be given anything any more
    if (this.pinned?.owed === true && !this.busy) this.destroy();
    else this.#endIfRead();
  }

  #endIfRead(): void {
    if (this.#inputEnded && this.#unread.length === 0) this.finish();
  }

  #pause(): void {
    if (this.#paused || this.#unread.length === 0) return;
    this.#paused = true;
    this.#wire.pause();
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#wire.resume();
  }

  #closed(): void {
    if (this.state === "closed") return;
    this.state = "closed";
    this.#unread = [];
    this.#partial.drop();
    this.#output.stop();
    this.#backlog.drop();
    this.#dropUpload();
    this.#releasePin();
    this.host.ended(this);
  }

  #releasePin(): void {
    this.pinned?.dispose();
    this.pinned = undefined;
  }
}
