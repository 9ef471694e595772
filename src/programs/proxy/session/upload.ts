import { LIMITS } from "../limits/limits.ts";
import type { PinnedRouteOwner } from "../pinned/pinned-route.ts";
import { commandName } from "../protocol/arguments.ts";
import { classify } from "../protocol/commands.ts";
import type { PartialRequest } from "../protocol/partial-request.ts";
import { isRefusal } from "../protocol/refusals.ts";
import { replies } from "../protocol/replies.ts";
import { isMessage } from "../protocol/subscriptions.ts";
import { startTimer } from "../timing/timer.ts";
import type { Pin, PinUser } from "../upstream/pin.ts";
import type { Upstream } from "../upstream/upstream.ts";

/** What an upload needs of the session that it belongs to. */
export interface UploadOwner extends Pick<
  PinnedRouteOwner,
  "endpoint" | "identity" | "hasPending" | "wakeUpstream" | "pump" | "cut"
> {
  /** The request is answered. */
  uploaded(answer: Buffer): void;
}

/**
 * A request that is too large to be collected. It flows through a connection of its own, as fast as the client sends and
 * the engine takes, so that it delays no other client and needs little memory. It cannot be sent again: when the engine
 * does not execute it, the rest of it is discarded, and the client gets an error.
 */
export class Upload implements PinUser {
  readonly #owner: UploadOwner;
  readonly #startedAt = performance.now();
  readonly #head: PartialRequest;
  #state: "pending" | "dialling" | "sending" | "discarding" | "sent" | "over" = "pending";
  #pin: Pin | undefined;
  #upstream: Upstream | undefined;
  /** What the engine answered before the whole request was sent. */
  #early: Buffer | undefined;

  /** An upload for the request that begins with `head`, which it takes over; undefined for one that must be collected. */
  static of(owner: UploadOwner, head: PartialRequest): Upload | undefined {
    const name = Buffer.from(commandName(Buffer.concat(head.chunks)), "latin1");
    if (classify(name, 0, name.length) !== undefined) return undefined;
    if (owner.endpoint.counters.pins >= LIMITS.pins) return undefined;
    return new Upload(owner, head);
  }

  private constructor(owner: UploadOwner, head: PartialRequest) {
    this.#owner = owner;
    this.#head = head;
    owner.endpoint.counters.pins++;
  }

  get ageMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** The engine has been sent something. */
  get started(): boolean {
    return this.#state !== "pending";
  }

  /** The end has not arrived: nothing is executed if it ends now. */
  get incomplete(): boolean {
    return this.#state !== "sent";
  }

  /** More of the request can be taken now. */
  get receiving(): boolean {
    return this.#state === "discarding" || (this.#state === "sending" && this.#pin?.congested === false);
  }

  /** Begins, when the earlier requests of the client are answered and there is a primary. */
  start(): void {
    const { primary } = this.#owner.endpoint;
    if (this.#state !== "pending" || this.#owner.hasPending || primary.held) return;
    const { upstream } = primary;
    if (upstream?.lanes.reachable === true) void this.#dial(upstream);
    else if (primary.unavailable) this.#state = "discarding";
    else this.#owner.wakeUpstream();
  }

  /** Takes more of the request; `last`: its end. */
  take(bytes: Buffer, last: boolean): void {
    if (this.#state === "sending") {
      this.#pin?.write(bytes);
      if (last) this.#state = "sent";
    } else if (last) this.#end(this.#early ?? replies.noPrimary);
  }

  frame(frame: Buffer): void {
    if (isMessage(frame)) return;
    if (this.#state === "sent") this.#end(isRefusal(frame) ? replies.noPrimary : frame);
    else this.#early = frame;
  }

  closed(): void {
    if (this.#state === "sent") {
      this.#owner.cut("the engine is gone with a request of unknown outcome");
      return;
    }
    this.#state = "discarding";
    this.#owner.pump();
  }

  drained(): void {
    this.#owner.pump();
  }

  /** A former primary that does not answer is treated as gone. */
  upstreamChanged(): void {
    const { clock, primary } = this.#owner.endpoint;
    const pin = this.#pin;
    if (pin === undefined || primary.upstream === this.#upstream) return;
    startTimer(clock, primary.holdMs, () => {
      if (this.#pin !== pin) return;
      pin.destroy();
      this.closed();
    });
  }

  /** The client does not wait for it any more. */
  drop(): void {
    if (this.#state === "over") return;
    const unanswered = this.#state !== "pending";
    this.#state = "over";
    this.#head.drop();
    this.#owner.endpoint.counters.pins--;
    const pin = this.#pin;
    this.#pin = undefined;
    if (pin === undefined) return;
    pin.tainted ||= unanswered;
    this.#upstream?.pins.giveBack(pin);
  }

  async #dial(upstream: Upstream): Promise<void> {
    this.#state = "dialling";
    const { settings } = this.#owner.identity;
    try {
      this.#begin(await upstream.pins.takeOrDial(settings), upstream);
    } catch (error) {
      const { clock, log } = this.#owner.endpoint;
      log.debug("an upload cannot begin yet", { error });
      if (!this.#isOver()) this.#state = "pending";
      startTimer(clock, RETRY_MS, () => {
        this.#owner.pump();
      });
    }
  }

  #begin(pin: Pin, upstream: Upstream): void {
    if (this.#isOver()) {
      upstream.pins.giveBack(pin);
      return;
    }
    this.#pin = pin;
    this.#upstream = upstream;
    pin.attach(this);
    for (const bytes of this.#head.chunks) pin.write(bytes);
    this.#head.drop();
    this.#state = "sending";
    this.#owner.pump();
  }

  #isOver(): boolean {
    return this.#state === "over";
  }

  #end(answer: Buffer): void {
    const pin = this.#pin;
    this.#pin = undefined;
    if (pin !== undefined) this.#upstream?.pins.giveBack(pin);
    this.drop();
    this.#owner.uploaded(answer);
  }
}

const RETRY_MS = 50;
