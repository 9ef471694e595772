import type { CommandEntry } from "../protocol/table/entry.ts";
import { startTimer } from "../timing/timer.ts";
import type { Pin, PinUser } from "../upstream/pin.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { ConnectionState } from "./connection-state.ts";
import { CountedAnswers } from "./counted-answers.ts";
import { discardAt } from "./discard.ts";
import { KeptRequests } from "./kept-requests.ts";
import type { Subscriber } from "./mirror-subscribers.ts";
import { MarkerListening } from "./marker-listening.ts";
import { canBeMirrored, missedMessages, Mirroring, mirroredConnection } from "./mirroring.ts";
import { PendingQueue } from "./pending-queue.ts";
import { isForeign, isOutrun, metScript, type PendingRequest } from "./pending-request.ts";
import { isAsking, pinMachine } from "./pin-states.ts";
import { PinnedCommands } from "./pinned-commands.ts";
import type { PinnedParts } from "./pinned-parts.ts";
import { PinnedWork } from "./pinned-work.ts";
import { Redirection } from "./redirection.ts";
import { limitLeaving, Relocation, type RelocationEvents } from "./relocation.ts";
import { RoleCheck } from "./role-check.ts";
import { shownMessage } from "./tracking-replies.ts";
import { WithoutPrimary } from "./without-primary.ts";
import type { SubscriptionMirror } from "./subscription-mirror.ts";
import { WaitLimit } from "./wait-limit.ts";
import { onlyRoute } from "../upstream/only-route.ts";

/**
 * A session with a connection to the engine for itself. It remembers what the engine keeps for the connection, so that the
 * session can go on at another engine: a transaction is queued there again, a blocking command waits there for the rest
 * of its time. What an engine has not executed is sent to the next one; what it may have executed is not.
 */
export class Pinned {
  readonly state = new ConnectionState();
  /** What the client waits for. */
  readonly work: PinnedWork;
  /** The session as a change of primary mirrors it, if it has subscribed. */
  readonly subscriber: Subscriber;
  readonly #parts: PinnedParts;
  readonly #machine = pinMachine();
  /** What the connection to the engine calls. */
  readonly #user: PinUser;
  readonly #pending = new PendingQueue();
  readonly #redirection: Redirection;
  readonly #commands: PinnedCommands;
  readonly #withoutPrimary: WithoutPrimary;
  readonly #listening: MarkerListening;
  readonly #mirroring: Mirroring;
  readonly #relocation: Relocation;
  readonly #roleCheck = new RoleCheck((frame) => void this.#receive(frame));
  readonly #kept: KeptRequests;
  readonly #answers: CountedAnswers;
  readonly #waitLimit: WaitLimit;
  #metScript = false;
  /** Cancels the timer of a session that is waiting or leaving. */
  #cancelTimer: () => void = () => undefined;
  #pin: Pin | undefined;
  #upstream: Upstream;

  constructor(parts: PinnedParts, pin: Pin, upstream: Upstream) {
    this.#parts = parts;
    this.#pin = pin;
    this.#upstream = upstream;
    this.#redirection = new Redirection(parts, this.state.tracking, () => this.#upstream);
    this.#commands = new PinnedCommands(parts, this.state, this.#pending, this.#redirection, (pending, bytes) => {
      this.#post(pending, bytes);
    });
    this.#withoutPrimary = new WithoutPrimary(parts, this.#commands);
    this.#listening = this.#describeListening();
    this.#mirroring = new Mirroring(
      mirroredConnection(parts, {
        pin: () => this.#pin,
        isFree: () => this.#commands.isFree && !this.#pending.has("blocking"),
        replay: () => this.#redirection.mirrored(this.state.replay(parts.identity, "listening")),
        listening: this.#listening,
      }),
    );
    this.#relocation = new Relocation(parts, this.#describeMoves());
    this.#kept = new KeptRequests(parts, this.#pending, this.state);
    this.#answers = this.#describeAnswers();
    this.#waitLimit = new WaitLimit(parts.endpoint.clock, {
      blocking: () => this.#pending.blocking,
      end: () => void this.unblock("TIMEOUT"),
    });
    this.work = this.#describeWork();
    this.subscriber = this.#describeSubscriber();
    this.#user = {
      frame: (frame) => void this.#receive(frame),
      closed: () => void this.#loseEngine(),
      overflows: (why) => void parts.life.cut(why),
    };
    pin.attach(this.#user);
  }

  /** The client has sent MULTI, and neither EXEC nor DISCARD. */
  get inTransaction(): boolean {
    return this.#commands.inTransaction;
  }

  /** Takes one request; false when it cannot be sent now. `objection`: why it is not queued in the transaction, which fails. */
  take(request: Buffer, command: CommandEntry | undefined, objection?: Buffer): boolean {
    if (this.#pin === undefined) return this.#primary.unavailable && this.#withoutPrimary.refuse(request, command);
    const isFull = this.#kept.isFull || this.work.endedInput.isEnding;
    const mustWait = this.#machine.state === "waiting" || isFull || this.#commands.isExecuting;
    return !mustWait && this.#commands.take(request, command, objection);
  }

  /** The endpoint has another primary, or goes on at the same one after a hold. */
  upstreamChanged(): void {
    const { upstream, unavailable } = this.#primary;
    if (this.#machine.state === "searching") {
      if (unavailable) this.#withoutPrimary.expire(this.#pending.takeRefused());
      this.#relocation.start(0, false);
      return;
    }
    this.#goOn(upstream);
    this.#sendPutOff();
  }

  /** Goes on at the shard that its parts name now; nothing may be pending. Or where `others` say, once nothing is at the engine of before. */
  changeShard(others?: Relocation["others"]): void {
    if (others !== undefined) {
      this.#commands.dropPreparation(); // what is not taken yet may go elsewhere
      this.#relocation.others = others;
      return void this.upstreamChanged();
    }
    discardAt(this.#pin, this.#upstream);
    this.#pin = undefined;
    this.#leave();
  }

  #goOn(upstream: Upstream | undefined): void {
    const goesOn = this.#commands.isFree && this.#pending.unanswered === 0;
    const mirror = goesOn ? this.#mirroring.adopt(upstream) : undefined;
    if (!goesOn && upstream !== this.#upstream) this.#mirroring.succeed(upstream);
    if (mirror !== undefined) this.#goOnAt(mirror);
    else if (upstream !== undefined && upstream !== this.#upstream) {
      this.#leave();
      if (this.#pin !== undefined && this.#machine.apply("change-primary"))
        this.#cancelTimer = limitLeaving(this.#parts.endpoint, this.#pin, () => void this.#loseEngine());
    } else this.#mirroring.end();
  }

  /** Takes a blocking command back from the engine: its reply, or the proof that nothing was taken, arrives later. */
  withdraw(): void {
    if (this.#pending.withdraw()) void this.unblock("ERROR");
  }

  /** Ends the wait of a blocking command; false when nothing waits. */
  async unblock(how: "TIMEOUT" | "ERROR"): Promise<boolean> {
    const { blocking } = this.#pending;
    // what it has found may be here, and not be read
    const isDue = (): boolean => this.#pending.blocking === blocking && this.#pin?.isRead === true;
    return blocking !== undefined && this.#pin !== undefined && this.#upstream.unblock(this.#pin.id, how, isDue);
  }

  pause(): void {
    if (!this.#primary.held) this.#pin?.read(false);
  }

  resume(): void {
    this.#pin?.read(true);
  }

  /** The session does not need this any more. */
  dispose(): void {
    const isUnfinished = this.work.hasPending;
    if (!this.#machine.apply("end")) return;
    this.#relocation.stop();
    this.#cancelTimer();
    this.#waitLimit.stop();
    this.#mirroring.dispose();
    this.#kept.drop();
    this.#redirection.arrived();
    this.#pending.drop();
    const pin = this.#pin;
    this.#pin = undefined;
    if (pin === undefined) return;
    if (isUnfinished || this.state.needsPin || this.inTransaction) pin.tainted = true;
    this.#upstream.pins.giveBack(pin);
  }

  #post(pending: PendingRequest, bytes: Buffer): void {
    this.#listening.before(pending.kind);
    if (this.#pending.push(pending)) this.#pin?.write(bytes, isForeign(pending));
    this.#kept.note();
    this.#waitLimit.note();
  }

  /** Takes one whole reply, or a message. */
  #receive(frame: Buffer): void {
    if (this.#machine.state === "ended" || this.#roleCheck.keeps(frame)) return;
    const { protocol } = this.#parts.identity.settings;
    if (this.state.monitoring || this.state.subscriptions.isMessage(frame, protocol)) {
      if (!this.#mirroring.passes(frame)) return;
      if (this.state.monitoring) this.#parts.output.deliver(frame);
      else this.#parts.output.push(shownMessage(this.state.tracking, frame));
      return;
    }
    const pending = this.#pending.next(frame, this.#parts.endpoint.clock.uptimeMs());
    if (pending !== undefined) this.#judge(pending, frame);
  }

  #judge(pending: PendingRequest, frame: Buffer): void {
    this.#metScript = metScript(pending, frame);
    if (isOutrun(pending, frame, this.#primary, this.#upstream)) return void this.#answered(pending, frame, true, true);
    this.#roleCheck.settle(pending, frame, this.#upstream, this.#parts, (refused) => {
      this.#machine.apply("decide");
      this.#answered(pending, frame, refused);
    });
    if (this.#roleCheck.asking) this.#machine.apply("ask");
  }

  /** The connection has ended: the session goes on elsewhere, unless the outcome of a request is unknown. */
  #loseEngine(): void {
    this.#roleCheck.abandon();
    // with the replies that count now the session may have ended, or its client has another connection already
    if (!this.#machine.apply("lose-engine")) return;
    this.#cancelTimer();
    this.#waitLimit.stop();
    const isAsked = this.work.endedInput.isEnding;
    this.#pin = undefined;
    this.#mirroring.succeedAhead();
    this.#mirroring.end();
    const missed = isAsked ? undefined : missedMessages(this.#parts, this.state, this.#mirroring);
    if (isAsked && this.#pending.length > 0) this.work.endedInput.end();
    else if (missed !== undefined) this.#parts.life.cut(missed);
    else if (this.#pending.refuseAll()) this.#settle();
    else this.#parts.life.cut("the engine is gone with a request of unknown outcome");
  }

  #answered(pending: PendingRequest, frame: Buffer, refused: boolean, keeps = this.#metScript): void {
    if (this.#machine.state === "ended") return;
    this.#answers.take(pending, frame, refused, keeps);
    this.#sendPutOff();
    this.#kept.note();
    this.#waitLimit.note();
    if (this.#pending.length === 0) this.#settle();
    this.work.endedInput.look();
  }

  /** Sends what waited for the answer to a blocking command; where clients are held it goes to the primary that is next. */
  #sendPutOff(): void {
    const { held, upstream } = this.#primary;
    if (this.#pending.hasRefused || this.work.endedInput.isEnding) {
      // it follows what was not executed, or goes through another connection, once nothing is at the engine
      if (this.#pending.length === 0) this.#pending.refusePutOff();
    } else if (!held && upstream === this.#upstream && this.#machine.state === "attached") {
      const since = this.#parts.endpoint.clock.uptimeMs();
      for (const pending of this.#pending.takePutOff()) this.#commands.repeat({ ...pending, since });
    }
  }

  #settle(): void {
    if (this.#parts.life.ended) return;
    if (this.#mayRepeat && this.#machine.apply("meet-script")) this.#repeatLater();
    else if (this.#pending.hasRefused || this.#pin === undefined || this.#mustFollow) this.#leave();
    else if (!this.#needsPin && !this.#commands.preparing) this.#parts.pinned.leave();
    this.#parts.turns.settled();
  }

  /** Requests were refused for a script, and a connection without state of its own serves for another attempt as well. */
  get #mayRepeat(): boolean {
    const isHere = this.#primary.upstream === this.#upstream;
    return this.#pending.hasRefused && this.#metScript && this.#isReusable && isHere;
  }

  /** The connection has state of the session, and leads to a former primary. */
  get #mustFollow(): boolean {
    const { upstream } = this.#primary;
    return upstream !== undefined && upstream !== this.#upstream && this.#needsPin;
  }

  #repeatLater(): void {
    this.#cancelTimer = startTimer(this.#parts.endpoint.clock, RETRY_MS, () => {
      if (!this.#machine.apply("repeat")) return;
      for (const pending of this.#pending.takeRefused()) this.#commands.repeat(pending);
      this.work.endedInput.look();
    });
  }

  /** The connection has no state of the session, and takes requests. */
  get #isReusable(): boolean {
    return this.#pin !== undefined && !this.work.endedInput.isEnding && !this.#needsPin;
  }

  get #primary(): PinnedParts["endpoint"]["routes"][0] {
    return onlyRoute(this.#parts.endpoint);
  }

  get #needsPin(): boolean {
    return this.state.needsPin || this.inTransaction || this.#pending.unanswered > 0;
  }

  #goOnAt({ pin, upstream, messages }: SubscriptionMirror): void {
    this.#pin?.destroy();
    this.#pin = pin;
    this.#upstream = upstream;
    pin.attach(this.#user);
    this.#listening.arrived(pin);
    this.#listening.stop();
    for (const message of [...this.state.disconnect(this.#parts.identity.settings.protocol), ...messages])
      this.#parts.output.push(message);
    this.#parts.turns.waitFor(this.#redirection.trackAgain(upstream, () => this.#pin === pin, this.#commands));
  }

  /** Leaves the engine, once nothing is pending there. */
  #leave(): void {
    this.#mirroring.succeedAhead();
    this.#mirroring.end();
    this.withdraw();
    if (this.#pending.length > 0 || isAsking(this.#machine.state)) return;
    this.#pending.refusePutOff();
    this.#machine.apply("depart");
    this.#cancelTimer();
    this.#pin?.destroy();
    this.#pin = undefined;
    if (this.#parts.life.finishing && !this.work.endedInput.hasBegun && !this.#pending.keepUnblocked()) return;
    for (const message of this.state.disconnect(this.#parts.identity.settings.protocol))
      this.#parts.output.push(message);
    if (!this.#pending.hasRefused && !this.#needsPin) this.#parts.pinned.leave();
    else {
      // an engine that has just refused is asked again a little later; another one at once
      const delayMs = this.#primary.upstream === this.#upstream ? RETRY_MS : 0;
      this.#relocation.start(delayMs, this.#pending.hasRefused);
    }
  }

  /** The session's state is in place at another engine: what was not executed follows. */
  #arrive(pin: Pin, upstream: Upstream): void {
    this.#redirection.arrived();
    this.#machine.apply("arrive");
    this.#pin = pin;
    this.#upstream = upstream;
    pin.attach(this.#user);
    const refused = this.#pending.takeRefused();
    this.#parts.endpoint.counters.resent += refused.length;
    for (const pending of refused) this.#commands.repeat(pending);
    this.work.endedInput.look();
    if (refused.length === 0) this.#parts.turns.settled();
    this.#parts.turns.pump();
  }

  #describeAnswers(): CountedAnswers {
    const [state, pending, commands] = [this.state, this.#pending, this.#commands];
    return new CountedAnswers(this.#parts, { state, pending, commands, pin: () => this.#pin });
  }

  #describeListening(): MarkerListening {
    return new MarkerListening(this.#parts.identity, {
      pin: () => this.#pin,
      isSubscriber: () => this.state.subscriptions.size > 0 || this.#pending.has("subscription"),
      command: (request, settled) => void this.#commands.postInternal(request, settled),
    });
  }

  #describeMoves(): RelocationEvents {
    return {
      kept: { state: this.state, pending: this.#pending, commands: this.#commands },
      prepare: (upstream) => this.#redirection.prepare(upstream, this.#pending.refusedRequests("tracking")),
      requests: () => [...this.#pending.refusedRequests(), ...(this.state.queuedRequests ?? [])],
      replay: (upstream, isMirrored) => {
        if (!isMirrored) return this.#redirection.replay(this.state.replay(this.#parts.identity), upstream);
        return this.#redirection.behindMirror(this.state.replay(this.#parts.identity, "rest"), upstream);
      },
      isMirrored: () => this.#mirroring.isSucceeded,
      takeMirror: (upstream) => this.#mirroring.takeSuccessor(upstream),
      missed: () => void this.#parts.life.cut("the engine is gone, and messages may be missing"),
      arrived: (fresh, from, isMirrored) => {
        if (isMirrored) this.#listening.arrived(fresh);
        this.#arrive(fresh, from);
      },
      expired: () => void this.#withoutPrimary.expire(this.#pending.takeRefused()),
    };
  }

  #describeWork(): PinnedWork {
    const { endpoint, identity, life } = this.#parts;
    const pin = (): Pin | undefined => this.#pin;
    const [state, pending, commands, machine] = [this.state, this.#pending, this.#commands, this.#machine];
    return new PinnedWork({ clock: endpoint.clock, identity, life, pin, state, pending, commands, machine });
  }

  #describeSubscriber(): Subscriber {
    return {
      isListening: () => {
        const standing = { isFree: this.#commands.isFree, isMarked: this.#listening.isOn };
        return this.#pin !== undefined && canBeMirrored(this.#parts, this.state, this.#pending, standing);
      },
      mirror: (target, marker) => this.#mirroring.begin(target, marker),
    };
  }
}

const RETRY_MS = 50;
