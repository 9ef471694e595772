import type { Socket } from "node:net";
import type { ClientIdentity } from "../client/identity.ts";
import { ClientOutput } from "../client/client-output.ts";
import type { OutstandingRequest } from "../../../ports/management/proxy-control.ts";
import { LIMITS } from "../limits/limits.ts";
import { PinnedRoute, type PinnedRouteOwner } from "../pinned/pinned-route.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import type { Lane } from "../upstream/lane.ts";
import { Wire } from "../upstream/wire.ts";
import { dispatch, type CommandSession } from "./dispatch.ts";
import { Invalidations } from "./invalidations.ts";
import { Moving } from "./moving.ts";
import { ownAnswerNow } from "./own-answers.ts";
import type { PartialRequest } from "./partial-request.ts";
import { RequestReader, type RequestTaker } from "./request-reader.ts";
import { ReplyMode } from "./reply-mode.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";
import type { SessionEvents } from "./session-events.ts";
import { SharedRoute, type SharedRouteOwner } from "./shared-route.ts";
import { Upload, type UploadOwner } from "./upload.ts";

/**
 * `draining` goes on until no transaction is open; `finishing` ends at the next boundary between requests; `closing` has
 * sent FIN and discards what still arrives.
 */
type SessionState = "open" | "draining" | "finishing" | "closing" | "closed";

type SessionParts = CommandSession & PinnedRouteOwner & RequestTaker & SharedRouteOwner & UploadOwner;

/** One client connection: its requests are taken in order, through a shared lane, a pinned connection, or as an upload. */
export class Session implements SessionParts {
  readonly endpoint: SessionEndpoint;
  readonly identity: ClientIdentity;
  readonly shared: SharedRoute;
  readonly pinned: PinnedRoute;
  readonly replyMode = new ReplyMode();
  readonly moving = new Moving(this);
  readonly invalidations: Invalidations = new Invalidations(this);
  upload: Upload | undefined;
  readonly #events: SessionEvents;
  readonly #wire: Wire;
  readonly #reader: RequestReader;
  readonly #output: ClientOutput;
  #state: SessionState = "open";
  /** Work that must be over before the next request can be taken. */
  #waiting = false;
  #inputEnded = false;

  constructor(socket: Socket, endpoint: SessionEndpoint, identity: ClientIdentity, events: SessionEvents) {
    this.endpoint = endpoint;
    this.identity = identity;
    this.#events = events;
    this.shared = new SharedRoute(this);
    this.pinned = new PinnedRoute(this);
    this.#wire = new Wire(socket, "shared", {
      data: (bytes, length) => {
        if (this.takesRequests) this.#reader.receive(bytes, length);
      },
      end: () => void this.#endInput(),
      closed: () => void this.#close(),
      drained: () => undefined,
    });
    this.#reader = new RequestReader(this, this.#wire, endpoint);
    const cut = (why: string): void => void this.cut(why, true);
    this.#output = new ClientOutput(this.#wire, { clock: endpoint.clock, budget: endpoint.memory, cut }, () => {
      this.pinned.current?.resume();
      this.invalidations.settled();
      this.pump();
    });
  }

  get ended(): boolean {
    return this.#state === "closed";
  }

  get takesRequests(): boolean {
    return this.#state === "open" || this.#state === "draining";
  }

  get finishing(): boolean {
    return this.#state === "finishing";
  }

  /** True while a request of this client is at an engine; one that blocks does not count. */
  get busy(): boolean {
    return this.shared.inFlight > 0 || this.outstanding !== undefined || this.pinned.current?.work.busy === true;
  }

  /** What a move has to wait for of this client, on a connection of its own. */
  get outstanding(): OutstandingRequest | undefined {
    return this.pinned.current?.work.oldest ?? this.upload?.outstanding;
  }

  /** True while the client waits for a reply of any kind. */
  get hasPending(): boolean {
    return this.shared.hasPending || (this.pinned.current?.work.hasPending ?? this.upload?.started ?? false);
  }

  /** The client does not read its replies as fast as they arrive. */
  get congested(): boolean {
    return this.outputBytes > LIMITS.congestedBytes;
  }

  get outputBytes(): number {
    return this.#output.queuedBytes;
  }

  get canTake(): boolean {
    if (!this.takesRequests) return false;
    if (this.replyMode.skipping || this.moving.isDue || this.invalidations.isDue) return false;
    if (this.upload !== undefined) return this.upload.receiving;
    return !this.endpoint.primary.held && !this.#waiting && this.shared.open && !this.congested;
  }

  plainLane(): Lane | undefined {
    return this.#isPlain ? this.shared.usableLane() : undefined;
  }

  wakeUpstream(): void {
    this.shared.usableLane();
  }

  forward(lane: Lane, count: number, bytes: Buffer, end: number): void {
    this.shared.push(lane, count, bytes, end);
  }

  take(request: Buffer, command: CommandEntry | undefined): boolean {
    if (this.endpoint.pause.stops(request)) return false;
    this.replyMode.begin();
    const taken = dispatch(this, request, command);
    this.replyMode.taken(taken, this.hasPending || this.#waiting);
    return taken;
  }

  beginUpload(head: PartialRequest): void {
    if (!this.#isPlain) return;
    this.upload = Upload.of(this, head);
    this.upload?.start();
  }

  uploaded(answer: Buffer): void {
    this.upload = undefined;
    this.endpoint.counters.requests++;
    this.reply(answer);
    this.settled();
    this.pump();
  }

  waitFor(work: Promise<void>): void {
    this.#waiting = true;
    void work.then(() => {
      this.#waiting = false;
      this.settled();
      this.pump();
    });
  }

  pump(): void {
    if (this.#reader.pump()) this.#endIfRead();
  }

  /** The primary is another one, or can be reached again. */
  upstreamChanged(): void {
    this.pinned.current?.upstreamChanged();
    this.invalidations.upstreamChanged();
    this.upload?.upstreamChanged();
    this.shared.resend();
    this.pump();
  }

  answer(reply: Buffer): boolean {
    if (this.hasPending) return false;
    this.endpoint.counters.requests++;
    this.reply(reply);
    return true;
  }

  answerTo(request: Buffer): Promise<Buffer> {
    return ownAnswerNow(this, request);
  }

  reply(reply: Buffer): void {
    this.endpoint.counters.noteReply(reply);
    this.deliver(reply);
  }

  deliver(bytes: Buffer): void {
    if (!this.replyMode.silent) this.push(bytes);
  }

  push(bytes: Buffer): void {
    if (this.#state === "closed") return;
    this.endpoint.counters.sentBytes += bytes.length;
    this.#output.write(bytes);
    if (this.congested && !this.endpoint.primary.held) this.pinned.current?.pause();
  }

  settled(): void {
    if (this.busy) return;
    this.#events.settled();
    if (!this.hasPending && !this.#waiting) this.replyMode.settled();
    this.moving.settled();
    this.invalidations.settled();
    if (this.#state === "finishing") this.finish();
    else if (this.#state === "draining") this.drain();
    if (this.#reader.waiting || this.upload !== undefined) this.pump();
  }

  unpin(): void {
    this.pinned.release();
    this.shared.leaveLane();
  }

  /** Ends at the next boundary between requests and transactions. */
  drain(): void {
    if (this.#state === "open") this.#state = "draining";
    const unfinished = this.pinned.current?.work.transactionPending === true || this.upload !== undefined;
    if (this.#state === "draining" && !unfinished) this.finish();
  }

  /** Ends at the next boundary between requests, at once when nothing is pending. */
  finish(): void {
    if (this.#state === "closing" || this.#state === "closed") return;
    this.#state = "finishing";
    if (this.upload?.incomplete === true) this.#dropUpload();
    if (this.hasPending || this.#waiting) return;
    this.#halfClose();
  }

  /** As `drain`, but takes a blocking command back and does not wait for the end of a transaction. */
  drainNow(): void {
    this.finish();
    this.moving.withdraw();
  }

  /** A move waits: cuts a client with a request that one has waited for in vain, and reads on for one that reads slowly. */
  cutOverdue(): void {
    const { command = "", ageMs = 0 } = this.outstanding ?? {};
    if (ageMs > LIMITS.patienceMs) this.cut(`${command} has taken too long for a change of primary`);
    else this.pinned.current?.resume();
  }

  /** `isUnread`: the kernel need not keep what it was given for the client. */
  cut(why: string, isUnread = false): void {
    if (this.#state === "closed") return;
    this.endpoint.counters.cut++;
    this.endpoint.log.warn("client connection cut", { why, client: this.identity.address });
    if (isUnread) this.#wire.reset();
    this.destroy();
  }

  /** Ends at once, whatever is pending. */
  destroy(): void {
    this.#wire.destroy();
    this.#close();
  }

  get #isPlain(): boolean {
    if (this.endpoint.pause.active || this.replyMode.single) return false;
    return this.pinned.current === undefined && this.identity.authenticated;
  }

  #halfClose(): void {
    this.#state = "closing";
    this.#reader.drop();
    this.invalidations.close();
    this.pinned.release();
    if (this.#reader.protocolError !== undefined) this.#output.write(this.#reader.protocolError);
    this.#output.end();
    this.#reader.resume();
  }

  #endInput(): void {
    this.#inputEnded = true;
    // an element that a blocking command gets for a client that is gone would be lost
    if (this.pinned.current?.work.onlyBlocks === true) this.destroy();
    else this.#endIfRead();
  }

  #endIfRead(): void {
    if (this.#inputEnded && this.#reader.empty) this.finish();
  }

  #dropUpload(): void {
    this.upload?.drop();
    this.upload = undefined;
  }

  #close(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#reader.drop();
    this.#output.stop();
    this.invalidations.close();
    this.shared.drop();
    this.#dropUpload();
    this.pinned.release();
    this.#events.ended();
  }
}
