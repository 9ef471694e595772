import type { OutstandingRequest } from "../../../ports/management/proxy-control.ts";
import { OVER_BUDGET } from "../limits/memory-budget.ts";
import type { PinnedParts } from "../pinned/pinned-parts.ts";
import { runsForeignCode } from "../protocol/commands.ts";
import { isBusyReply, isRefusal } from "../protocol/refusals.ts";
import { isPushed } from "../protocol/subscriptions.ts";
import { startTimer } from "../timing/timer.ts";
import type { Pin, PinUser } from "../upstream/pin.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { KeptRequest } from "./kept-request.ts";
import type { LargeRequest } from "./large-request.ts";
import { onlyRoute } from "../upstream/only-route.ts";

/**
 * A request that is too large to be collected. It flows through a connection of its own, as fast as the client sends and
 * the engine takes, so that it delays no other client. As long as it can be kept, it is sent again from its beginning to
 * another primary; a larger one is not, and when the engine does not execute it, the client gets an error.
 */
export class Upload {
  readonly #parts: PinnedParts;
  readonly #startedAt = performance.now();
  #request: LargeRequest;
  readonly #answered: (answer: Buffer) => void;
  readonly #kept: KeptRequest;
  #state: "pending" | "dialling" | "sending" | "discarding" | "sent" | "over" = "pending";
  #pin: Pin | undefined;
  #upstream: Upstream | undefined;
  /** The end of the request has arrived. */
  #isWhole = false;
  /** What the engine answered before the whole request was sent. */
  #early: Buffer | undefined;
  /** What its connection to the engine reports to. */
  readonly #ofPin: PinUser = {
    frame: (frame) => {
      this.#takeFrame(frame);
    },
    closed: () => {
      this.#goOnWithoutPin();
    },
    drained: () => {
      this.#kept.isSent = true;
      this.#parts.turns.pump();
    },
    overflows: (why) => {
      this.#parts.life.cut(why);
    },
  };

  /** `parts`: those of a session whose database has no other shard; `head`: the beginning of the request; `answered` gets the reply. */
  constructor(parts: PinnedParts, request: LargeRequest, head: Buffer, answered: (answer: Buffer) => void) {
    this.#parts = parts;
    this.#request = request;
    this.#answered = answered;
    this.#kept = new KeptRequest(parts.endpoint.memory, () => {
      parts.life.cut(`a large request waits for its engine, and ${OVER_BUDGET}`);
    });
    parts.endpoint.counters.pins++;
    this.#kept.add(head);
  }

  /** What a move has to wait for; undefined when it can carry the request over, or none of it was sent. */
  get outstanding(): OutstandingRequest | undefined {
    const isCarried = this.#state === "pending" || (this.#state !== "sent" && this.#kept.chunks !== undefined);
    if (isCarried || this.#state === "discarding") return undefined;
    const ageMs = performance.now() - this.#startedAt;
    return { client: this.#parts.identity.address, command: `${this.#request.name} (upload)`, ageMs };
  }

  /** The same of a move of this primary. */
  outstandingAt(primary: PrimaryView): OutstandingRequest | undefined {
    return this.#primary === primary ? this.outstanding : undefined;
  }

  /** The name of its command. */
  get name(): string {
    return this.#request.name;
  }

  /** The engine has been sent something, or the whole request has arrived. */
  get started(): boolean {
    return this.#state !== "pending" || this.#isWhole;
  }

  /** The end of the request has not arrived: nothing is executed if the upload ends now. */
  get incomplete(): boolean {
    return !this.#isWhole;
  }

  /** More of the request can be taken now; during a hold only when the request cannot be carried over. */
  get receiving(): boolean {
    if (this.#state !== "sending") return this.#state === "discarding";
    const stays = this.#primary.held && this.#kept.chunks !== undefined;
    return !stays && this.#pin?.congested === false;
  }

  /** Begins, when the earlier requests of the client are answered and there is a primary. */
  start(): void {
    if (this.#state !== "pending" || (!this.#isWhole && this.#parts.work.hasPending)) return;
    const { held, upstream, unavailable } = this.#primary;
    if (this.#request.objection !== undefined) this.#discard();
    else if (held) return;
    else if (upstream?.lanes.reachable === true) void this.#dial(upstream);
    else if (unavailable) this.#discard();
    else upstream?.lanes.choose(this.#parts.identity.settings);
  }

  /** Takes more of the request; `last`: its end. */
  take(bytes: Buffer, last: boolean): void {
    this.#isWhole = last;
    if (this.#state === "sending" && !this.#admits(bytes)) this.#leaveUnfinished();
    else if (this.#state === "sending") {
      this.#kept.add(bytes);
      this.#pin?.write(bytes);
      if (last) this.#state = "sent";
    } else if (last) this.#end(this.#early ?? this.#refusal);
  }

  /** Sends a request that the former primary has not got whole to the new one; a former primary that does not answer is treated as gone. */
  upstreamChanged(): void {
    const { clock } = this.#parts.endpoint;
    const primary = this.#primary;
    const pin = this.#pin;
    if (pin === undefined || primary.upstream === this.#upstream) return;
    if (this.#state === "sending" && this.#startOver()) {
      this.start();
      return;
    }
    startTimer(clock, primary.holdMs, () => {
      if (this.#pin !== pin) return;
      pin.destroy();
      this.#goOnWithoutPin();
    });
  }

  /** All of it so far; undefined when that is too large to be kept. */
  get arrived(): Buffer | undefined {
    const { chunks } = this.#kept;
    return chunks === undefined ? undefined : Buffer.concat(chunks);
  }

  /** Other shards serve: it goes to the one that its parts name now, where this is known of it. */
  goTo(request: LargeRequest): void {
    this.#request = request;
    this.upstreamChanged();
  }

  /** The client does not wait for it any more. */
  drop(): void {
    if (this.#state === "over") return;
    const unanswered = this.#state !== "pending";
    this.#state = "over";
    this.#kept.drop();
    this.#parts.endpoint.counters.pins--;
    const pin = this.#pin;
    this.#pin = undefined;
    if (pin === undefined) return;
    pin.tainted ||= unanswered;
    this.#upstream?.pins.giveBack(pin);
  }

  #takeFrame(frame: Buffer): void {
    if (isPushed(frame)) return;
    if (this.#state !== "sent") this.#early = frame;
    else if (isBusyReply(frame) && this.#mayWait && this.#startOver()) this.#retry();
    else if (!isRefusal(frame)) this.#end(frame);
    else if (this.#startOver()) this.#retry();
    else this.#end(this.#refusal);
  }

  #goOnWithoutPin(): void {
    if (this.#state === "sent") this.#parts.life.cut("the engine is gone with a request of unknown outcome");
    else if (this.#startOver()) this.#retry();
    else this.#discard();
  }

  async #dial(upstream: Upstream): Promise<void> {
    this.#state = "dialling";
    const { settings } = this.#parts.identity;
    try {
      this.#begin(await upstream.pins.takeOrDial(settings), upstream);
    } catch (error) {
      this.#parts.endpoint.log.debug("an upload cannot begin yet", { error });
      if (!this.#isOver()) this.#state = "pending";
      this.#retry();
    }
  }

  #begin(pin: Pin, upstream: Upstream): void {
    if (this.#isOver() || upstream !== this.#primary.upstream) {
      upstream.pins.giveBack(pin);
      if (!this.#isOver()) this.#state = "pending";
      this.#retry();
      return;
    }
    this.#pin = pin;
    this.#upstream = upstream;
    pin.attach(this.#ofPin);
    const chunks = this.#kept.chunks ?? [];
    for (const [place, bytes] of chunks.entries()) pin.write(bytes, place === 0 && runsForeignCode(bytes));
    this.#kept.isSent = !pin.congested;
    this.#state = this.#isWhole ? "sent" : "sending";
    this.#parts.turns.pump();
  }

  /** Leaves the engine, which has executed nothing; false when the beginning of the request is not there any more. */
  #startOver(): boolean {
    if (this.#kept.chunks === undefined) return false;
    this.#kept.isSent = false;
    this.#pin?.destroy();
    this.#pin = undefined;
    this.#early = undefined;
    this.#state = "pending";
    return true;
  }

  /** The engine runs a script, and not for so long that clients are to know. */
  get #mayWait(): boolean {
    return this.#upstream?.busy.spares(this.#parts.endpoint.clock.uptimeMs(), true) === true;
  }

  #retry(): void {
    startTimer(this.#parts.endpoint.clock, RETRY_MS, () => {
      this.#parts.turns.pump();
    });
  }

  /** False when no engine may execute the request, now that this has arrived. */
  #admits(bytes: Buffer): boolean {
    this.#request.take(bytes);
    return this.#request.objection === undefined;
  }

  /** Leaves the engine in the middle of the request, of which it executes nothing. */
  #leaveUnfinished(): void {
    this.#pin?.destroy();
    this.#pin = undefined;
    this.#discard();
  }

  /** No engine is to get the request: what still arrives of it is dropped. */
  #discard(): void {
    this.#kept.drop();
    if (this.#isWhole) this.#end(this.#refusal);
    else {
      this.#state = "discarding";
      this.#parts.turns.pump();
    }
  }

  get #primary(): PrimaryView {
    return onlyRoute(this.#parts.endpoint);
  }

  get #refusal(): Buffer {
    return this.#request.objection ?? this.#primary.refusal;
  }

  #isOver(): boolean {
    return this.#state === "over";
  }

  #end(answer: Buffer): void {
    const pin = this.#pin;
    this.#pin = undefined;
    if (pin !== undefined) this.#upstream?.pins.giveBack(pin);
    this.drop();
    this.#answered(answer);
  }
}

const RETRY_MS = 50;
