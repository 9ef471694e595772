import type { Clock } from "#kit/base/clock";
import type { Counters } from "../limits/counters.ts";
import { AccountedBytes } from "../limits/accounted-bytes.ts";
import { OVER_BUDGET, type MemoryBudget } from "../limits/memory-budget.ts";
import { isRead } from "../protocol/commands.ts";
import { isBusyReply, isRefusal } from "../protocol/refusals.ts";
import { startTimer } from "../timing/timer.ts";
import type { BusyPeriod } from "../upstream/busy-period.ts";
import type { Lane } from "../upstream/lane.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { LostRequest, Requester } from "../upstream/requester.ts";

/** What puts requests on a lane whose refused ones are sent again. */
export interface RequestOwner extends Requester {
  /** Its requests that are to be sent again, and are not on the lane now; their backlog counts them. */
  deferred: number;
}

/** The way of the requests, as their backlog uses it. */
export interface BacklogRoute {
  /** Requests on the lane that are not answered. */
  readonly inFlight: number;
  /** A lane that takes requests now. */
  usableLane(): Lane | undefined;
  /** Ends the client's connection at once. */
  cut(why: string): void;
  /** Nothing is in flight any more. */
  settled(): void;
}

/** What a backlog works with. */
export interface BacklogContext {
  readonly clock: Clock;
  readonly counters: Pick<Counters, "resent" | "answeredLate">;
  readonly memory: MemoryBudget;
}

/**
 * Requests of one client that an engine did not execute, because it is not primary or not ready. They are sent again in
 * order, to the primary of that time; later requests of the client wait. After `holdMs` they are answered with an error.
 * Only commands of the engine itself come here, so that the text of a refusal proves it.
 */
export class Backlog {
  readonly #route: BacklogRoute;
  readonly #context: BacklogContext;
  readonly #primary: BacklogPrimary;
  /** Requests to be sent again. */
  #requests: RefusedRequest[] = [];
  /** Requests to be sent again, once those behind them are answered. */
  #gathered: Gathered[] = [];
  readonly #held: AccountedBytes;
  /** When the first of them was to be sent again, by `performance.now`, and how many were sent again last. */
  #since = 0;
  #sentAgain = 0;
  #dropped = false;
  #expired = false;
  #cancelExpiry: (() => void) | undefined;
  #cancelRetry: () => void = () => undefined;

  /** `primary`: that of the shard of the requests. */
  constructor(route: BacklogRoute, context: BacklogContext, primary: BacklogPrimary) {
    this.#route = route;
    this.#context = context;
    this.#primary = primary;
    this.#held = new AccountedBytes(context.memory, () => {
      route.cut(`its requests must be sent again, and ${OVER_BUDGET}`);
    });
  }

  /** From the first refusal until nothing is left to be sent again. */
  get active(): boolean {
    return this.#cancelExpiry !== undefined;
  }

  /** Takes a reply that is a refusal, says that the engine runs a script, or follows such a reply. */
  answered(request: Buffer, reply: Buffer, owner: RequestOwner): void {
    const refused = isRefusal(reply);
    const waits = this.#isSpared(reply);
    if (!refused && reply[0] !== MINUS) this.#primary.upstream?.busy.over();
    if (this.#dropped || (!refused && !waits && this.#gathered.length === 0)) owner.reply(reply);
    else if (refused) this.#gather({ owner, request });
    else if (waits || isRepeatable(request, reply)) this.#gather({ owner, request, reply: Buffer.from(reply) });
    else this.#giveBack(reply, owner);
  }

  /** The engine runs a script, and requests wait for its end. */
  #isSpared(reply: Buffer): boolean {
    return isBusyReply(reply) && this.#primary.upstream?.busy.spares(this.#context.clock.uptimeMs(), true) === true;
  }

  /** The lane is gone. True when all its requests can be sent again; otherwise the outcome of some is unknown. */
  takeOver(lost: readonly LostRequest[], owner: RequestOwner): boolean {
    if (this.#dropped) return true;
    if (lost.some(({ request, sent }) => sent && !isRead(request))) return false;
    for (const { request } of lost) this.#gather({ owner, request });
    // other owners may have had requests on the lane, which were behind these
    if (this.#route.inFlight === 0) this.settled();
    return true;
  }

  /** Nothing is in flight any more: gathered requests are sent again before the other ones that wait. */
  settled(): void {
    this.#requests = [...this.#gathered.splice(0).map(({ owner, request }) => ({ owner, request })), ...this.#requests];
    this.#held.set(this.#requests.reduce((sum, { request }) => sum + request.length, 0));
    if (this.#requests.length === 0) this.#finish();
    else if (this.#expired) this.#giveUp();
    else this.#retryLater();
  }

  /** Sends again all that waits, if there is a primary that takes it. */
  resend(): void {
    const { counters } = this.#context;
    const primary = this.#primary;
    if (this.#requests.length === 0 || this.#route.inFlight > 0 || primary.held) return;
    const lane = this.#route.usableLane();
    if (lane === undefined) {
      if (primary.unavailable) this.#giveUp();
      else this.#retryLater();
      return;
    }
    const run = this.#requests.splice(0);
    this.#held.set(0);
    counters.resent += run.length;
    this.#sentAgain = run.length;
    for (const { owner, request } of run) {
      owner.deferred--;
      lane.push(owner, 1, request, 0, request.length);
    }
  }

  /** Nothing is sent again from here: gives away what was to be, in its order. */
  drop(): readonly RefusedRequest[] {
    const all = [...this.#gathered.splice(0), ...this.#requests.splice(0)];
    this.#dropped = true;
    this.#end();
    for (const { owner } of all) owner.deferred--;
    return all;
  }

  /** A later request was executed. A script that ended in between is no reason to cut: each gets the reply of the engine. */
  #giveBack(reply: Buffer, last: RequestOwner): void {
    if (this.#gathered.some((one) => one.reply === undefined)) {
      this.#route.cut("a request was executed although an earlier one was not");
      return;
    }
    for (const { owner, reply: kept = NONE } of this.#gathered.splice(0)) {
      owner.deferred--;
      owner.reply(kept);
    }
    last.reply(reply);
  }

  #gather(gathered: Gathered): void {
    this.#gathered.push(gathered);
    gathered.owner.deferred++;
    this.#held.set(this.#held.heldBytes + gathered.request.length + (gathered.reply?.length ?? 0));
    if (!this.active) this.#since = performance.now();
    this.#cancelExpiry ??= startTimer(this.#context.clock, this.#primary.holdMs, () => {
      this.#expired = true;
      if (this.#route.inFlight === 0) this.#giveUp();
    });
  }

  #retryLater(): void {
    this.#cancelRetry();
    this.#cancelRetry = startTimer(this.#context.clock, RETRY_MS, () => {
      this.resend();
    });
  }

  #giveUp(): void {
    const requests = this.#requests.splice(0);
    this.#end();
    for (const { owner } of requests) {
      owner.deferred--;
      owner.reply(this.#primary.refusal);
    }
    this.#route.settled();
  }

  #finish(): void {
    this.#context.counters.answeredLate.add((performance.now() - this.#since) / 1000, this.#sentAgain);
    this.#end();
  }

  #end(): void {
    this.#sentAgain = 0;
    this.#held.set(0);
    this.#expired = false;
    this.#cancelExpiry?.();
    this.#cancelExpiry = undefined;
    this.#cancelRetry();
  }
}

/** The primary of the shard of the requests, as far as sending them again needs it. */
type BacklogPrimary = Pick<PrimaryView, "held" | "holdMs" | "unavailable" | "refusal"> & {
  readonly upstream: { readonly busy: Pick<BusyPeriod, "spares" | "over"> } | undefined;
};

/** A request to be sent again. */
export interface RefusedRequest {
  readonly owner: RequestOwner;
  readonly request: Buffer;
}

/** A request to be sent again, with its reply when the client may get that instead. */
interface Gathered extends RefusedRequest {
  readonly reply?: Buffer;
}

const NONE = Buffer.alloc(0);
const MINUS = 45;
const RETRY_MS = 50;

/** A request that failed or only reads is sent again behind the refused one, so that it sees what that one did. */
function isRepeatable(request: Buffer, reply: Buffer): boolean {
  return reply[0] === MINUS || isRead(request);
}
