import { encodeCommand } from "../../../ports/resp/encode.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { commandName, isAlone } from "../protocol/arguments.ts";
import { withRemainingTimeout } from "../protocol/blocking-timeout.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import { greetingFor } from "../protocol/greeting.ts";
import { abortedByWatch } from "../protocol/replies.ts";
import { withTag } from "../scan/cursor.ts";
import { placedIfScan, placedScan, tagAt } from "../scan/scan.ts";
import type { ConnectionState } from "./connection-state.ts";
import { withOwnAnswers, withScanTags } from "./exec-reply.ts";
import { isAnsweredByProxy, OpenTransaction } from "./open-transaction.ts";
import type { PendingQueue } from "./pending-queue.ts";
import type { OwnCommand, PendingKind, PendingRequest } from "./pending-request.ts";
import type { PinnedParts } from "./pinned-parts.ts";
import type { Redirection } from "./redirection.ts";
import { StreamIds } from "./stream-ids.ts";
import { withoutName } from "./without-name.ts";

/** Sends `bytes` to the engine, for a request that gets a reply. */
export type PostRequest = (pending: PendingRequest, bytes: Buffer) => void;

/** The requests without a reply. */
type SentRequests = Pick<PendingQueue, "has">;

/** Turns the requests of a pinned session into what its engine is sent. */
export class PinnedCommands {
  readonly #parts: PinnedParts;
  readonly #state: ConnectionState;
  readonly #pending: SentRequests;
  readonly #redirection: Redirection;
  readonly #post: PostRequest;
  #open: OpenTransaction | undefined;
  #isExecuting = false;
  readonly #streamIds = new StreamIds();

  constructor(
    parts: PinnedParts,
    state: ConnectionState,
    pending: SentRequests,
    redirection: Redirection,
    post: PostRequest,
  ) {
    this.#parts = parts;
    this.#redirection = redirection;
    this.#state = state;
    this.#pending = pending;
    this.#post = post;
  }

  /** The client has sent MULTI, and neither EXEC nor DISCARD. */
  get inTransaction(): boolean {
    return this.#open !== undefined;
  }

  /** The reply to an EXEC is to hold answers of the proxy: nothing is sent behind it. */
  get isExecuting(): boolean {
    return this.#isExecuting;
  }

  /** A further command changes nothing for the client: the engine does not queue it, and it uses nothing up. */
  get isFree(): boolean {
    return !this.inTransaction && this.#state.caching === undefined;
  }

  /** A request waits for replies to requests of the proxy itself. */
  get preparing(): boolean {
    return this.#streamIds.waiting;
  }

  /** Sends one request; false when it cannot be sent yet. `objection`: why it is not queued in the transaction, which fails. */
  take(request: Buffer, command: CommandEntry | undefined, objection?: Buffer): boolean {
    if (this.#open !== undefined) return this.#takeQueued(this.#open, request, command, objection);
    switch (command?.commandClass) {
      case "transaction":
        return this.#takeTransaction(request, command.name);
      case "blocking":
        return this.#takeBlocking(request);
      case "wait":
        this.#primeWait();
        return this.#forward("blocking", request);
      case "subscription":
        return this.#subscribe(request, command.name);
      case "identity":
        return this.#forward(command.name === "AUTH" ? "auth" : "hello", request);
      case "session":
        return this.#forward("select", request);
      case "tracking":
        return this.#takeTracking(request);
      case "caching":
      case "monitor":
      case "scan":
        return this.#forward(command.commandClass, request);
      default:
        return this.#forward("command", request);
    }
  }

  /** Sends a request again that the engine before did not execute. */
  repeat(refused: PendingRequest): void {
    const pending = { ...refused, replies: refused.count, withdrawn: false };
    if (pending.kind === "blocking") this.#blockAgain(pending);
    else this.#send(this.#checked(pending));
  }

  /** The transaction is over, and no engine has executed it. */
  endTransaction(): void {
    this.#open = undefined;
    this.#isExecuting = false;
    this.#state.endTransaction();
  }

  /** Gives the client what the engine has answered. */
  answered(pending: PendingRequest, frame: Buffer, answer: (reply: Buffer) => void): void {
    // the engine has not opened it: what follows is not queued
    if (pending.kind === "multi" && frame[0] === MINUS) this.#open = undefined;
    if (pending.kind === "exec") this.#executed(pending, frame, answer);
    else if (pending.kind === "hello")
      answer(greetingFor(frame, this.#parts.identity.id, this.#parts.endpoint.isCluster));
    else answer(pending.tag === undefined ? frame : withTag(frame, pending.tag));
  }

  /** Gives its client the reply to EXEC, once the proxy has added what it answers itself. */
  #executed(pending: PendingRequest, frame: Buffer, answer: (reply: Buffer) => void): void {
    // an earlier EXEC does not end the wait for this one
    if (isSpecial(pending)) this.#isExecuting = false;
    const tagged = withScanTags(pending, frame);
    const whole = withOwnAnswers(pending, tagged, this.#parts);
    if (whole === undefined) answer(tagged);
    else this.#parts.turns.waitFor(whole.then(answer));
  }

  /** The MULTI of the open transaction was not executed, and is to be taken again with what follows it. */
  forgetOpen(): void {
    this.#open = undefined;
  }

  /** Makes the EXEC of an open transaction fail. */
  failTransaction(): void {
    this.#open?.fail();
  }

  /** Sends a request of the proxy itself that is for this connection alone; `settled` gets the reply, or undefined when there is none. */
  postInternal(request: Buffer, settled: OwnCommand["settled"] = () => undefined): void {
    this.#sendOwn(request, { isAwaited: false, settled });
  }

  /** Forgets what a request waited for: the next request cannot use it. */
  dropPreparation(): void {
    this.#streamIds.drop();
  }

  #sendOwn(request: Buffer, own: OwnCommand): void {
    this.#send({ kind: "internal", request, count: 1, replies: 1, since: this.#now(), own });
  }

  #subscribe(request: Buffer, name: string): boolean {
    const args = requestArguments(request);
    // how often the end of all subscriptions is confirmed depends on those that are not confirmed yet
    if (args.length === 1 && this.#pending.has("subscription")) return false;
    return this.#forward("subscription", request, this.#state.subscriptions.confirmations(args, name));
  }

  #takeTransaction(request: Buffer, name: string): boolean {
    // whether its EXEC must fail is known when what ends the WATCH before is answered
    if (name === "MULTI" && this.#state.watchBroken && this.#pending.has("exec", "discard", "unwatch")) return false;
    // with a word more the engine refuses it
    if (name === "MULTI" && isAlone(request)) this.#open = new OpenTransaction();
    return this.#forward(TRANSACTION_KINDS[name] ?? "command", request);
  }

  #takeQueued(open: OpenTransaction, request: Buffer, command: CommandEntry | undefined, given?: Buffer): boolean {
    if (command?.name === "EXEC") return this.#takeExec(open, request);
    if (command?.name === "DISCARD" && isAlone(request)) {
      this.#open = undefined;
      return this.#forward("discard", request);
    }
    // until the engine has taken the MULTI nothing is known to be queued, and an answer of the proxy has no place
    if (command !== undefined && isAnsweredByProxy(command) && this.#pending.has("multi")) return false;
    const objection = given ?? open.objection(request, command);
    if (objection === undefined) return this.#forward("queued", open.queue(request, command));
    if (!this.#parts.turns.answer(objection)) return false;
    open.fail();
    return true;
  }

  #takeExec(open: OpenTransaction, request: Buffer): boolean {
    const { refusal, special, scans, onlyReads } = open;
    const { counters } = this.#parts.endpoint;
    this.#open = undefined;
    counters.requests++;
    if (refusal === undefined && open.crossesSlots) counters.noteCrossing("MULTI");
    const exec: PendingRequest = {
      kind: "exec",
      request,
      count: 1,
      replies: 1,
      since: this.#now(),
      special,
      scans,
      onlyReads,
    };
    this.#isExecuting = isSpecial(exec);
    this.#send(refusal === undefined ? this.#checked(exec) : { ...exec, request: DISCARD, substitute: refusal });
    return true;
  }

  /** An EXEC behind a WATCH that could not be carried over fails as if a watched key had changed. */
  #checked(pending: PendingRequest): PendingRequest {
    if (pending.kind !== "exec" || !this.#state.watchBroken || pending.substitute !== undefined) return pending;
    return { ...pending, request: DISCARD, substitute: abortedByWatch(this.#parts.identity.settings.protocol) };
  }

  #takeBlocking(request: Buffer): boolean {
    const resolved = this.#streamIds.resolve(request, (key, confirmed) => {
      this.#sendOwn(encodeCommand(["XINFO", "STREAM", key]), { isAwaited: true, settled: confirmed });
    });
    if (resolved === undefined) return false;
    // the questions have used it up
    if (resolved !== request && this.#state.caching !== undefined) this.postInternal(this.#state.caching);
    return this.#forward("blocking", resolved);
  }

  #takeTracking(request: Buffer): boolean {
    const ready = this.#redirection.ready(request);
    if (ready === true) return this.#forward("tracking", request);
    return ready !== undefined && this.#parts.turns.answer(ready);
  }

  #blockAgain(pending: PendingRequest): void {
    if (commandName(pending.request).startsWith("WAIT")) this.#primeWait();
    this.#post(pending, withRemainingTimeout(pending.request, this.#now() - pending.since));
  }

  /** WAIT looks at the writes of its own connection, but the client's writes may have gone through a lane. */
  #primeWait(): void {
    this.postInternal(PRIME);
  }

  #forward(kind: PendingKind, request: Buffer, count = 1): boolean {
    this.#parts.endpoint.counters.requests++;
    this.#send({ kind, request, count, replies: count, since: this.#now() });
    return true;
  }

  #send(pending: PendingRequest): void {
    const { kind, request, scans = [] } = pending;
    const tagged =
      kind === "scan" || scans.length > 0 ? { ...pending, tag: tagAt(this.#scans, this.#engine) } : pending;
    this.#post(tagged, this.#atEngine(kind, request));
  }

  /** The request for its engine: a cursor is that of the engine that the request is sent to, also when it is sent again. */
  #atEngine(kind: PendingKind, request: Buffer): Buffer {
    switch (kind) {
      case "tracking":
        return this.#redirection.atEngine(request);
      case "hello":
        return withoutName(request);
      case "scan":
        return placedScan(this.#scans, this.#engine, request);
      case "queued":
        return placedIfScan(this.#scans, this.#engine, request);
      default:
        return request;
    }
  }

  get #scans(): PinnedParts["endpoint"]["scans"][0] {
    return this.#parts.endpoint.scans[0];
  }

  get #engine(): Redirection["engine"] {
    return this.#redirection.engine;
  }

  #now(): number {
    return this.#parts.endpoint.clock.uptimeMs();
  }
}

function isSpecial({ special }: PendingRequest): boolean {
  return special !== undefined && special.size > 0;
}

const TRANSACTION_KINDS: Readonly<Record<string, PendingKind>> = { MULTI: "multi", WATCH: "watch", UNWATCH: "unwatch" };
const MINUS = 45;
const DISCARD = encodeCommand(["DISCARD"]);
/** A write that reaches replicas and touches no key. */
const PRIME = encodeCommand(["SPUBLISH", "store:wait", ""]);
