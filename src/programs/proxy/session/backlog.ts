import { nameOf } from "../protocol/arguments.ts";
import { isRead } from "../protocol/commands.ts";
import type { SessionHost } from "./session-endpoint.ts";
import type { Lane } from "../upstream/lane.ts";
import type { LostRequest } from "../upstream/requester.ts";
import type { Requester } from "../upstream/requester.ts";
import { isRefusal } from "../protocol/refusals.ts";
import { replies } from "../protocol/replies.ts";
import { after } from "../timing/timer.ts";

/** What the backlog needs of the session that it belongs to. */
export interface BacklogOwner extends Requester {
  readonly host: SessionHost;
  /** A lane that takes requests now. */
  usableLane(): Lane | undefined;
}

/**
 * Requests of one client that an engine did not execute, because it is no primary or not ready. They are sent again, in their order,
 * to whoever is primary then; what the client sends meanwhile waits. After `holdMs` they are answered with an error.
 */
export class Backlog {
  readonly #owner: BacklogOwner;
  /** To be sent again; a slot with a reply was executed, its reply waits for those before it. */
  #slots: Slot[] = [];
  /** The same, of the flight that is still being answered. */
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

  /** A reply that is a refusal, or comes behind one. */
  answered(request: Buffer, reply: Buffer): void {
    if (isRefusal(reply)) this.#gather({ request });
    else if (this.#gathered.length === 0) this.#owner.deliver(reply);
    // asked again behind the refused request, a read sees what that request did
    else this.#gather(isRead(nameOf(request)) ? { request } : { request, reply: Buffer.from(reply) });
  }

  /** The lane is gone. True when all of it can be sent again; otherwise nobody knows what was executed. */
  takeOver(requests: readonly LostRequest[]): boolean {
    if (requests.some(({ request, sent }) => sent && !isRead(nameOf(request)))) return false;
    for (const { request } of requests) this.#gather({ request });
    this.settled();
    return true;
  }

  /** Nothing is in flight any more: what was gathered comes before what had not been sent again yet. */
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

  /** Sends again what can be, if there is a primary to send it to. */
  resend(): void {
    if (this.#slots.length === 0 || this.#owner.inFlight > 0 || this.#owner.host.held) return;
    const lane = this.#owner.usableLane();
    if (lane === undefined) {
      this.#retryLater();
      return;
    }
    const kept = this.#slots.findIndex((slot) => slot.reply !== undefined);
    const run = this.#slots.splice(0, kept < 0 ? this.#slots.length : kept);
    this.#owner.host.counters.resent += run.length;
    // while slots remain behind the run, or one of the run is refused again, replies are given one by one
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
    const { clock, holdMs } = this.#owner.host;
    this.#cancelExpiry ??= after(clock, holdMs, () => {
      this.#expired = true;
      if (this.#owner.inFlight === 0) this.#giveUp();
    });
  }

  #retryLater(): void {
    this.#cancelRetry();
    this.#cancelRetry = after(this.#owner.host.clock, RETRY_MS, () => {
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
