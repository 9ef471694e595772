import { encodeCommand } from "../resp/encode.ts";
import { argumentsOf, nameOf } from "./arguments.ts";
import { withRemainingTimeout } from "./blocking.ts";
import type { Special } from "./commands.ts";
import { isRepeatable } from "./expectation.ts";
import type { Expectation, ExpectationKind } from "./expectation.ts";
import { LIMITS } from "./host.ts";
import type { Pin, PinUser } from "./pin.ts";
import { isRefusal, isRefusedExec, isUnblocked } from "./refusals.ts";
import { Relocation } from "./relocation.ts";
import { abortedByWatch, errorReply, replies } from "./replies.ts";
import type { Session } from "./session.ts";
import { SessionMemory } from "./session-memory.ts";
import { isMark, Shadow } from "./shadow.ts";
import { isMessage } from "./subscriptions.ts";
import { after } from "./timer.ts";
import type { Upstream } from "./upstream.ts";

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
  /** Sent and not answered, in order. */
  #waiting: Expectation[] = [];
  /** Certainly not executed: to be sent again at the next engine. */
  #again: Expectation[] = [];
  /** As the client sees it: between the MULTI and the EXEC that it has sent. */
  #inMulti = false;
  #queuedBytes = 0;
  /** Why EXEC must fail although the engine knows no reason. */
  #spoiled: Buffer | undefined;

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

  /** Dials a pin for a session that has none; the session is pumped when it is there. */
  static dial(session: Session): void {
    const { upstream } = session.host;
    if (upstream === undefined) return;
    session.waiting = true;
    const go = (): void => {
      session.waiting = false;
      session.settled();
      session.pump();
    };
    upstream.dialPin(session.identity.place).then(
      (pin) => {
        if (session.state === "closed") pin.destroy();
        else upstream.returnPin(pin);
        go();
      },
      () => {
        // the engine cannot be reached; the session asks again, until the endpoint gives up
        after(session.host.clock, RETRY_MS, go);
      },
    );
  }

  get inTransaction(): boolean {
    return this.#inMulti;
  }

  /** Between WATCH or MULTI and the EXEC that ends it. */
  get midway(): boolean {
    return this.#inMulti || this.memory.inTransaction;
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
    this.#session.host.counters.requests++;
    if (this.#inMulti) return this.#takeQueued(request, special);
    const args = special === undefined ? [] : argumentsOf(request);
    switch (special?.treatment) {
      case "transaction":
        return this.#takeTransaction(request, special.name);
      case "blocking":
        return this.#send("blocking", request);
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
    if (this.#again.length > 0 || isNotExecuted(expected.kind, frame)) this.#keep(expected, frame);
    else this.#accept(expected, frame);
    if (this.#waiting.length === 0) this.#settle();
  }

  closed(): void {
    this.#pin = undefined;
    this.#dropShadow();
    const unknown = this.#waiting.find((expected) => !isRepeatable(expected));
    // an engine ends a subscriber that does not take its messages: to go on as if none were missed would be a lie
    if (this.#session.clogged) {
      this.#session.cut("a client does not take its messages");
      return;
    }
    if (unknown !== undefined) {
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
    else if (upstream !== undefined && upstream !== this.#upstream) this.#leave();
    else this.#dropShadow();
  }

  /** The client listens to channels. */
  get listening(): boolean {
    return this.#pin !== undefined && this.memory.subscriptions.size > 0;
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
    await new Promise<void>((confirmed) => {
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
    this.#shadow?.drop();
    this.#shadow = undefined;
    this.#session.host.counters.pins--;
    const pin = this.#pin;
    this.#pin = undefined;
    if (pin === undefined) return;
    if (this.owed || this.memory.special || this.#inMulti) pin.tainted = true;
    this.#upstream.returnPin(pin);
  }

  #takeTransaction(request: Buffer, name: string): boolean {
    switch (name) {
      case "MULTI":
        this.#inMulti = true;
        this.#queuedBytes = 0;
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
      this.#inMulti = false;
      this.#spoiled = undefined;
      return this.#send("discard", request);
    }
    if (special !== undefined && !QUEUEABLE.has(special.treatment)) {
      if (!this.#session.local(errorReply(`ERR store: ${special.name} is not available inside MULTI`))) return false;
      this.#spoiled = replies.transactionAborted;
      return true;
    }
    this.#queuedBytes += request.length;
    if (this.#queuedBytes > LIMITS.transactionBytes) {
      if (!this.#session.local(replies.tooLargeTransaction)) return false;
      this.#spoiled = replies.transactionAborted;
      return true;
    }
    return this.#send("queued", request);
  }

  #takeExec(request: Buffer): boolean {
    const spoiled = this.#spoiled;
    this.#inMulti = false;
    this.#spoiled = undefined;
    return spoiled === undefined
      ? this.#post(this.#asExec({ kind: "exec", request, count: 1, replies: 1, since: this.#now() }))
      : this.#post({ kind: "exec", request: DISCARD, count: 1, replies: 1, since: this.#now(), substitute: spoiled });
  }

  /** An EXEC behind a WATCH that could not be carried over fails as if a watched key had changed. */
  #asExec(expected: Expectation): Expectation {
    if (expected.kind !== "exec" || !this.memory.watchBroken || expected.substitute !== undefined) return expected;
    return { ...expected, request: DISCARD, substitute: abortedByWatch(this.#session.identity.place.protocol) };
  }

  #send(kind: ExpectationKind, request: Buffer, count = 1): boolean {
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
    expected.confirmed?.();
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
    else if (!this.memory.special && !this.#inMulti) this.#session.dropPin();
    this.#session.settled();
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
  #own(args: readonly string[]): Expectation {
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
    if (this.#again.length === 0 && !this.memory.special && !this.#inMulti) this.#session.dropPin();
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
    if (again.some(({ kind }) => kind === "multi" || kind === "queued")) this.#spoiled = replies.transactionAborted;
    this.#session.settled();
  }

  #giveUp(request: Buffer): boolean {
    if (this.#inMulti) this.#spoiled = replies.transactionAborted;
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
const QUEUEABLE: ReadonlySet<string> = new Set(["transaction", "blocking", "wait", "script"]);

function isNotExecuted(kind: ExpectationKind, frame: Buffer): boolean {
  if (frame[0] !== MINUS) return false;
  return isRefusal(frame) || (kind === "blocking" && isUnblocked(frame)) || (kind === "exec" && isRefusedExec(frame));
}
