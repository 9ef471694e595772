import { nameOf } from "../protocol/arguments.ts";
import { specialOf } from "../protocol/commands.ts";
import { LIMITS } from "../limits/limits.ts";
import type { PartialRequest } from "../protocol/partial-request.ts";
import type { Pin, PinUser } from "../upstream/pin.ts";
import { isRefusal } from "../protocol/refusals.ts";
import { replies } from "../protocol/replies.ts";
import type { Session } from "./session.ts";
import { isMessage } from "../protocol/subscriptions.ts";
import { after } from "../timing/timer.ts";
import type { Upstream } from "../upstream/upstream.ts";

/**
 * A request that is too large to be collected: it flows through a connection of its own, as fast as the client sends and the engine takes,
 * so that it delays nobody and needs little memory. It cannot be sent again. When the engine does not execute it, what is still to
 * come is discarded, and the client is told.
 */
export class Upload implements PinUser {
  readonly #session: Session;
  readonly #startedAt = performance.now();
  readonly #head: PartialRequest;
  #state: "pending" | "dialling" | "sending" | "discarding" | "sent" | "over" = "pending";
  #pin: Pin | undefined;
  #upstream: Upstream | undefined;
  /** What the engine said before it had been sent the whole. */
  #early: Buffer | undefined;

  /** An upload for the request that begins with `head`, which it takes over; undefined when it is one that must be collected. */
  static of(session: Session, head: PartialRequest): Upload | undefined {
    const name = Buffer.from(nameOf(Buffer.concat(head.chunks)), "latin1");
    if (specialOf(name, 0, name.length) !== undefined) return undefined;
    if (session.host.counters.pins >= LIMITS.pins) return undefined;
    return new Upload(session, head);
  }

  private constructor(session: Session, head: PartialRequest) {
    this.#session = session;
    this.#head = head;
    session.host.counters.pins++;
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
    return this.#state === "discarding" || (this.#state === "sending" && this.#pin?.clogged === false);
  }

  /** Begins, when what the client asked before is answered and there is a primary. */
  start(): void {
    const { host, owed } = this.#session;
    if (this.#state !== "pending" || owed || host.held) return;
    const { upstream } = host;
    if (upstream?.reachable === true) void this.#dial(upstream);
    else if (host.givenUp) this.#state = "discarding";
    // asking makes it be dialled
    else this.#session.usableLane();
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
      this.#session.cut("the engine is gone with a request of unknown outcome");
      return;
    }
    this.#state = "discarding";
    this.#session.pump();
  }

  drained(): void {
    this.#session.pump();
  }

  /** An engine that was left and does not answer is as good as gone. */
  upstreamChanged(): void {
    const { clock, holdMs, upstream } = this.#session.host;
    const pin = this.#pin;
    if (pin === undefined || upstream === this.#upstream) return;
    after(clock, holdMs, () => {
      if (this.#pin !== pin) return;
      pin.destroy();
      this.closed();
    });
  }

  /** Nobody waits for it any more. */
  drop(): void {
    if (this.#state === "over") return;
    const unanswered = this.#state !== "pending";
    this.#state = "over";
    this.#head.drop();
    this.#session.host.counters.pins--;
    const pin = this.#pin;
    this.#pin = undefined;
    if (pin === undefined) return;
    pin.tainted ||= unanswered;
    this.#upstream?.returnPin(pin);
  }

  async #dial(upstream: Upstream): Promise<void> {
    this.#state = "dialling";
    const { place } = this.#session.identity;
    try {
      const pin = upstream.takePin(place) ?? (await upstream.dialPin(place));
      this.#begin(pin, upstream);
    } catch (error) {
      this.#session.host.log.debug("an upload cannot begin yet", { error });
      if (!this.#over) this.#state = "pending";
      after(this.#session.host.clock, RETRY_MS, () => {
        this.#session.pump();
      });
    }
  }

  #begin(pin: Pin, upstream: Upstream): void {
    if (this.#over) {
      upstream.returnPin(pin);
      return;
    }
    this.#pin = pin;
    this.#upstream = upstream;
    pin.attach(this);
    for (const bytes of this.#head.chunks) pin.write(bytes);
    this.#head.drop();
    this.#state = "sending";
    this.#session.pump();
  }

  /** Read anew: it may change while something is awaited. */
  get #over(): boolean {
    return this.#state === "over";
  }

  #end(answer: Buffer): void {
    const pin = this.#pin;
    this.#pin = undefined;
    if (pin !== undefined) this.#upstream?.returnPin(pin);
    this.drop();
    this.#session.uploaded(answer);
  }
}

const RETRY_MS = 50;
