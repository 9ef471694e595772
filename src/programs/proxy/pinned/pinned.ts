import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { Arg } from "../../../ports/resp/encode.ts";
import { argumentsOf, nameOf } from "../protocol/arguments.ts";
import { withRemainingTimeout } from "../protocol/blocking-timeout.ts";
import type { Special } from "../protocol/commands.ts";
import { isRepeatable, wasNotExecuted } from "./pending-request.ts";
import type { Expectation, ExpectationKind } from "./pending-request.ts";
import { LIMITS } from "../limits/limits.ts";
import { OpenTransaction } from "./open-transaction.ts";
import type { Pin, PinUser } from "../upstream/pin.ts";
import { Relocation } from "./relocation.ts";
import { abortedByWatch, replies } from "../protocol/replies.ts";
import type { Session } from "../session/session.ts";
import { SessionMemory } from "./connection-state.ts";
import { isMark, Shadow } from "./subscription-mirror.ts";
import { lastIdOf, streamsFromNow, withIds } from "../protocol/stream-position.ts";
import { isMessage } from "../protocol/subscriptions.ts";
import { after } from "../timing/timer.ts";
import type { Upstream } from "../upstream/upstream.ts";

/**
 * A session that has a connection to the engine for itself. It remembers what makes the connection special, so that the
 * session can go on at another engine: a transaction is queued there again, a blocking command waits there for what is left of its
 * time. What an engine certainly did not execute is sent to the next one; what it may have executed never is.
 */
export class Pinned implements PinUser {
  readonly memory = new SessionMemory();
  readonly #session: Session;
  readonly #relocation: Relocation;
  #pin: Pin | undefined;
  /** While a change of primary is being made. */
  #shadow: Shadow | undefined;
  #upstream: Upstream;
  #cancelLeave: (() => void) | undefined;
  /** Sent and not answered, in order. */
  #waiting: Expectation[] = [];
  /** Certainly not executed: to be sent again at the next engine. */
  #again: Expectation[] = [];
  #open: OpenTransaction | undefined;
  /** Last ids of streams, while a reader of what comes next waits to be sent. */
  #ids: string[] | undefined;

  constructor(session: Session, pin: Pin, upstream: Upstream) {
    this.#session = session;
    this.#pin = pin;
    this.#upstream = upstream;
    this.#relocation = new Relocation(session, this.memory, {
      arrived: (fresh, from) => {
        this.#arrive(fresh, from);
      },
      expired: () => {
        this.#expire();
      },
    });
    session.host.counters.pins++;
    pin.attach(this);
  }

  get inTransaction(): boolean {
    return this.#open !== undefined;
  }

  /** Between WATCH or MULTI and the EXEC that ends it. */
  get midway(): boolean {
    return this.inTransaction || this.memory.inTransaction;
  }

  /** Something other than a blocking command is at the engine. */
  get busy(): boolean {
    return this.#waiting.some(({ kind }) => kind !== "blocking" && kind !== "own");
  }

  /** The client waits for something. */
  get owed(): boolean {
    return this.#waiting.length > 0 || this.#again.length > 0;
  }

  get blocked(): boolean {
    return !this.busy && this.#waiting.some(({ kind }) => kind === "blocking");
  }

  /** Takes one request; false when it cannot be sent now. */
  take(request: Buffer, special: Special | undefined): boolean {
    if (this.#pin === undefined) return this.#session.host.givenUp ? this.#giveUp(request) : false;
    if (this.#waiting.length >= LIMITS.inFlight) return false;
    if (this.#open !== undefined) return this.#takeQueued(request, special);
    const args = special === undefined ? [] : argumentsOf(request);
    switch (special?.treatment) {
      case "transaction":
        return this.#takeTransaction(request, special.name);
      case "blocking":
        return this.#takeBlocking(request);
      case "wait":
        // WAIT looks at the writes of its own connection, but the client's writes went through a shared one
        this.#post(this.#own(PRIME));
        return this.#send("blocking", request);
      case "subscription":
        return this.#send("subscription", request, this.memory.subscriptions.confirmations(args, special.name));
      case "identity":
        return this.#send(special.name === "AUTH" ? "auth" : "hello", request);
      case "session":
        return this.#send("select", request);
      default:
        return this.#send("command", request);
    }
  }

  frame(frame: Buffer): void {
    if (isMessage(frame)) {
      if (this.#shadow === undefined ? !isMark(frame) : this.#shadow.passes(frame)) this.#session.deliver(frame);
      return;
    }
    const expected = this.#waiting[0];
    if (expected === undefined) return;
    if (--expected.replies === 0) this.#waiting.shift();
    if (this.#again.length > 0 || wasNotExecuted(expected, frame)) this.#keep(expected, frame);
    else this.#accept(expected, frame);
    if (this.#waiting.length === 0) this.#settle();
  }

  closed(): void {
    this.#pin = undefined;
    this.#dropShadow();
    // an engine ends a subscriber that does not take its messages: to go on as if none were missed would be a lie
    if (this.#session.clogged) {
      this.#session.cut("a client does not take its messages");
      return;
    }
    if (!this.#waiting.every(isRepeatable)) {
      this.#session.cut("the engine is gone with a request of unknown outcome");
      return;
    }
    this.#again.push(...this.#waiting.splice(0));
    this.#settle();
  }

  /** The endpoint has another primary, or goes on at the same one after a hold. */
  upstreamChanged(): void {
    const { upstream } = this.#session.host;
    if (this.#pin === undefined) this.#relocation.start(0, false);
    else if (this.#shadow?.complete === true && this.#shadow.upstream === upstream && this.#waiting.length === 0)
      this.#adoptShadow(this.#shadow);
    else if (upstream !== undefined && upstream !== this.#upstream) {
      this.#leave();
      this.#leaveInTime();
    } else this.#dropShadow();
  }

  /** The client listens to channels. */
  get listening(): boolean {
    // a user of the engine may not be allowed to hear the mark
    return this.#pin !== undefined && this.memory.subscriptions.size > 0 && this.#session.identity.user === undefined;
  }

  /** Listens at the primary-to-be as well; resolves when a mark that is published now will be seen on both sides. */
  async follow(target: Upstream, channel: string): Promise<Shadow> {
    const { host, identity } = this.#session;
    this.#dropShadow();
    const shadow = await Shadow.open(host, target, identity.place, this.memory.replay(identity), channel);
    if (this.#pin === undefined || !host.held) {
      shadow.drop();
      throw new Error("the session has left meanwhile");
    }
    this.#shadow = shadow;
    this.#pin.tainted = true;
    await new Promise((confirmed) => {
      this.#post({ ...this.#own(["SUBSCRIBE", channel]), confirmed });
    });
    return shadow;
  }

  /** Takes a blocking command back from the engine; its reply, or the proof that nothing was taken, comes by itself. */
  withdraw(): void {
    if (!this.blocked || this.#pin === undefined) return;
    const { id } = this.#pin;
    void this.#upstream
      .control()
      .then((control) => control.call("CLIENT", "UNBLOCK", id, "ERROR"))
      .catch((error: unknown) => {
        this.#session.host.log.debug("a blocked client could not be released", { error });
      });
  }

  pause(): void {
    this.#pin?.pause();
  }

  resume(): void {
    this.#pin?.resume();
  }

  /** The session needs this no more. */
  dispose(): void {
    this.#relocation.stop();
    this.#cancelLeave?.();
    this.#shadow?.drop();
    this.#shadow = undefined;
    this.#session.host.counters.pins--;
    const pin = this.#pin;
    this.#pin = undefined;
    if (pin === undefined) return;
    if (this.owed || this.memory.special || this.inTransaction) pin.tainted = true;
    this.#upstream.returnPin(pin);
  }

  #takeBlocking(request: Buffer): boolean {
    const streams = streamsFromNow(request);
    if (streams.length === 0) return this.#send("blocking", request);
    if (this.#ids === undefined) {
      const ids: string[] = (this.#ids = []);
      const confirmed = (answer: Buffer): void => void ids.push(lastIdOf(answer));
      for (const key of streams) this.#post({ ...this.#own(["XINFO", "STREAM", key]), confirmed });
    }
    if (this.#ids.length < streams.length) return false;
    const ids = this.#ids;
    this.#ids = undefined;
    return this.#send("blocking", withIds(request, ids));
  }

  #takeTransaction(request: Buffer, name: string): boolean {
    switch (name) {
      case "MULTI":
        this.#open = new OpenTransaction();
        return this.#send("multi", request);
      case "WATCH":
        return this.#send("watch", request);
      case "UNWATCH":
        return this.#send("unwatch", request);
      default:
        return this.#send("command", request);
    }
  }

  #takeQueued(request: Buffer, special: Special | undefined): boolean {
    if (special?.name === "EXEC") return this.#takeExec(request);
    if (special?.name === "DISCARD") {
      this.#open = undefined;
      return this.#send("discard", request);
    }
    const objection = this.#open?.objection(request, special);
    if (objection === undefined) return this.#send("queued", request);
    if (!this.#session.local(objection)) return false;
    this.#open?.spoil();
    return true;
  }

  #takeExec(request: Buffer): boolean {
    const refusal = this.#open?.refusal;
    this.#open = undefined;
    const expected: Expectation = { kind: "exec", request, count: 1, replies: 1, since: this.#now() };
    if (refusal === undefined) return this.#post(this.#asExec(expected));
    return this.#post({ ...expected, request: DISCARD, substitute: refusal });
  }

  /** An EXEC behind a WATCH that could not be carried over fails as if a watched key had changed. */
  #asExec(expected: Expectation): Expectation {
    if (expected.kind !== "exec" || !this.memory.watchBroken || expected.substitute !== undefined) return expected;
    return { ...expected, request: DISCARD, substitute: abortedByWatch(this.#session.identity.place.protocol) };
  }

  #send(kind: ExpectationKind, request: Buffer, count = 1): boolean {
    this.#session.host.counters.requests++;
    return this.#post({ kind, request, count, replies: count, since: this.#now() });
  }

  #post(expected: Expectation, bytes = expected.request): boolean {
    this.#waiting.push(expected);
    this.#pin?.write(bytes);
    return true;
  }

  #accept(expected: Expectation, frame: Buffer): void {
    this.memory.learn(expected, frame, this.#session.identity);
    if (this.memory.taints && this.#pin !== undefined) this.#pin.tainted = true;
    expected.confirmed?.(frame);
    if (expected.kind !== "own") this.#session.deliver(expected.substitute ?? frame);
  }

  /** Behind a request that was not executed, all must wait for it; what was executed all the same cannot. */
  #keep(expected: Expectation, frame: Buffer): void {
    if (expected.kind === "own" || expected.replies > 0) return;
    if (frame[0] !== MINUS && !isRepeatable(expected)) {
      this.#session.cut("a request was executed although an earlier one was not");
      return;
    }
    this.#again.push(expected);
  }

  #settle(): void {
    if (this.#session.state === "closed") return;
    const { upstream } = this.#session.host;
    if (this.#again.length > 0 || this.#pin === undefined) this.#leave();
    else if (upstream !== undefined && upstream !== this.#upstream && this.memory.special) this.#leave();
    else if (!this.memory.special && !this.inTransaction && this.#ids === undefined) this.#session.dropPin();
    this.#session.settled();
  }

  /** An engine that was left and does not answer is as good as gone. */
  #leaveInTime(): void {
    const pin = this.#pin;
    if (pin === undefined) return;
    this.#cancelLeave?.();
    this.#cancelLeave = after(this.#session.host.clock, this.#session.host.holdMs, () => {
      if (this.#pin !== pin) return;
      pin.destroy();
      this.closed();
    });
  }

  #adoptShadow(shadow: Shadow): void {
    const { pin, messages } = shadow.adopt();
    this.#shadow = undefined;
    this.#pin?.destroy();
    this.#pin = pin;
    this.#upstream = shadow.upstream;
    pin.attach(this);
    this.#post(this.#own(["UNSUBSCRIBE", shadow.channel]));
    for (const message of messages) this.#session.deliver(message);
  }

  #dropShadow(): void {
    const shadow = this.#shadow;
    this.#shadow = undefined;
    if (shadow === undefined) return;
    if (this.#pin !== undefined) this.#post(this.#own(["UNSUBSCRIBE", shadow.channel]));
    for (const message of shadow.drop()) this.#session.deliver(message);
  }

  /** A command of the proxy itself: its reply is for nobody. */
  #own(args: readonly Arg[]): Expectation {
    return { kind: "own", request: encodeCommand(args), count: 1, replies: 1, since: this.#now() };
  }

  /** Leaves the engine, once nothing is outstanding there. */
  #leave(): void {
    this.#dropShadow();
    if (this.blocked) {
      this.withdraw();
      return;
    }
    if (this.#waiting.length > 0) return;
    this.#pin?.destroy();
    this.#pin = undefined;
    if (this.#session.state === "finishing") {
      this.#again = [];
      return;
    }
    this.memory.leave();
    if (this.#again.length === 0 && !this.memory.special && !this.inTransaction) this.#session.dropPin();
    else {
      // an engine that has just refused is asked again a little later; another one at once
      const delayMs = this.#session.host.upstream === this.#upstream ? RETRY_MS : 0;
      this.#relocation.start(delayMs, this.#again.length > 0);
    }
  }

  /** The session's state is in place at another engine: what was not executed follows. */
  #arrive(pin: Pin, upstream: Upstream): void {
    this.#pin = pin;
    this.#upstream = upstream;
    pin.attach(this);
    const again = this.#again.splice(0);
    this.#session.host.counters.resent += again.length;
    for (const refused of again) {
      const expected = { ...refused, replies: refused.count };
      if (expected.kind === "blocking") this.#blockAgain(expected);
      else this.#post(this.#asExec(expected));
    }
    if (again.length === 0) this.#session.settled();
    this.#session.pump();
  }

  #blockAgain(expected: Expectation): void {
    if (nameOf(expected.request).startsWith("WAIT")) this.#post(this.#own(PRIME));
    this.#post(expected, withRemainingTimeout(expected.request, this.#now() - expected.since));
  }

  /** Nobody took the session's requests for too long. */
  #expire(): void {
    const again = this.#again.splice(0);
    for (const expected of again) this.#session.deliver(expected.substitute ?? replies.noPrimary);
    if (again.some(({ kind }) => kind === "multi" || kind === "queued")) this.#open?.spoil();
    this.#session.settled();
  }

  #giveUp(request: Buffer): boolean {
    this.#open?.spoil();
    return request.length > 0 && this.#session.local(replies.noPrimary);
  }

  #now(): number {
    return this.#session.host.clock.now().getTime();
  }
}

const MINUS = 45;
const RETRY_MS = 50;
const DISCARD = encodeCommand(["DISCARD"]);
/** A write that reaches replicas and touches no key. */
const PRIME = ["SPUBLISH", "store:wait", ""];
