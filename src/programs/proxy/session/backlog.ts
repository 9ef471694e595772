import type { Clock } from "../../../core/base/clock.ts";
import type { Counters } from "../limits/counters.ts";
import { commandName } from "../protocol/arguments.ts";
import { isRead } from "../protocol/commands.ts";
import { isRefusal } from "../protocol/refusals.ts";
import { replies } from "../protocol/replies.ts";
import { startTimer } from "../timing/timer.ts";
import type { Lane } from "../upstream/lane.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { LostRequest, Requester } from "../upstream/requester.ts";

/** What the backlog needs of the requester that it belongs to. */
export interface BacklogOwner extends Requester {
  readonly endpoint: {
    readonly clock: Clock;
    readonly primary: Pick<PrimaryView, "held" | "holdMs">;
    readonly counters: Pick<Counters, "resent">;
  };
  /** A lane that takes requests now. */
  usableLane(): Lane | undefined;
}

/**
 * Requests of one client that an engine did not execute, because it is not primary or not ready. They are sent again in
 * order, to the primary of that time; later requests of the client wait. After `holdMs` they are answered with an error.
 */
export class Backlog {
  readonly #owner: BacklogOwner;
  /** To be sent again. A slot with a reply was executed: its reply waits for those before it. */
  #slots: Slot[] = [];
  /** The same, of requests whose successors are still being answered. */
  #gathered: Slot[] = [];
  #expired = false;
  #cancelExpiry: (() => void) | undefined;
  #cancelRetry: () => void = () => undefined;

  constructor(owner: BacklogOwner) {
    this.#owner = owner;
  }

  get active(): boolean {
    return this.#slots.length + this.#gathered.length > 0;
  }

  /** Takes a reply that is a refusal, or that follows one. */
  answered(request: Buffer, reply: Buffer): void {
    if (isRefusal(reply)) this.#gather({ request });
    else if (this.#gathered.length === 0) this.#owner.deliver(reply);
    // a read is sent again behind the refused request, so that it sees what that request did
    else this.#gather(isRead(commandName(request)) ? { request } : { request, reply: Buffer.from(reply) });
  }

  /** The lane is gone. True when all its requests can be sent again; otherwise the outcome of some is unknown. */
  takeOver(requests: readonly LostRequest[]): boolean {
    if (requests.some(({ request, sent }) => sent && !isRead(commandName(request)))) return false;
    for (const { request } of requests) this.#gather({ request });
    this.settled();
    return true;
  }

  /** Nothing is in flight any more: what was gathered comes before what has not been sent again yet. */
  settled(): void {
    const refused = this.#gathered.length > 0;
    this.#slots = [...this.#gathered, ...this.#slots];
    this.#gathered = [];
    this.#deliverKept();
    if (this.#slots.length === 0) this.#end();
    else if (this.#expired) this.#giveUp();
    else if (refused) this.#retryLater();
    else this.resend();
  }

  /** Sends again as much as possible, if there is a primary that takes it. */
  resend(): void {
    const { primary, counters } = this.#owner.endpoint;
    if (this.#slots.length === 0 || this.#owner.inFlight > 0 || primary.held) return;
    const lane = this.#owner.usableLane();
    if (lane === undefined) {
      this.#retryLater();
      return;
    }
    const kept = this.#slots.findIndex((slot) => slot.reply !== undefined);
    const run = this.#slots.splice(0, kept < 0 ? this.#slots.length : kept);
    counters.resent += run.length;
    // while slots remain behind the run, or one of the run is refused again, the lane gives replies one by one
    for (const { request } of run) lane.push(this.#owner, 1, request, 0, request.length);
  }

  /** The client is gone. */
  drop(): void {
    this.#slots = [];
    this.#gathered = [];
    this.#end();
  }

  #gather(slot: Slot): void {
    this.#gathered.push(slot);
    const { clock, primary } = this.#owner.endpoint;
    this.#cancelExpiry ??= startTimer(clock, primary.holdMs, () => {
      this.#expired = true;
      if (this.#owner.inFlight === 0) this.#giveUp();
    });
  }

  #retryLater(): void {
    this.#cancelRetry();
    this.#cancelRetry = startTimer(this.#owner.endpoint.clock, RETRY_MS, () => {
      this.resend();
    });
  }

  #deliverKept(): void {
    while (this.#slots[0]?.reply !== undefined) this.#owner.deliver(this.#slots.shift()?.reply ?? Buffer.alloc(0));
  }

  #giveUp(): void {
    const slots = this.#slots.splice(0);
    this.#end();
    for (const { reply } of slots) this.#owner.deliver(reply ?? replies.noPrimary);
    this.#owner.settled();
  }

  #end(): void {
    this.#expired = false;
    this.#cancelExpiry?.();
    this.#cancelExpiry = undefined;
    this.#cancelRetry();
  }
}

interface Slot {
  readonly request: Buffer;
  readonly reply?: Buffer;
}

const RETRY_MS = 50;
