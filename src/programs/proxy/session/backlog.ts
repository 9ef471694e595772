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
import { onlyRoute, type Routes } from "../upstream/only-route.ts";

/** The way of the requests, as their backlog uses it. */
export interface BacklogRoute extends Requester {
  readonly endpoint: {
    readonly clock: Clock;
    readonly routes: Routes<Pick<PrimaryView, "held" | "holdMs" | "upstream" | "unavailable" | "refusal">>;
    readonly counters: Pick<Counters, "resent" | "answeredLate">;
    readonly memory: MemoryBudget;
  };
  /** A lane that takes requests now. */
  usableLane(): Lane | undefined;
  /** Ends the client's connection at once. */
  cut(why: string): void;
}

/**
 * Requests of one client that an engine did not execute, because it is not primary or not ready. They are sent again in
 * order, to the primary of that time; later requests of the client wait. After `holdMs` they are answered with an error.
 * Only commands of the engine itself come here, so that the text of a refusal proves it.
 */
export class Backlog {
  readonly #route: BacklogRoute;
  /** Requests to be sent again. */
  #requests: Buffer[] = [];
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

  constructor(route: BacklogRoute) {
    this.#route = route;
    this.#held = new AccountedBytes(route.endpoint.memory, () => {
      route.cut(`its requests must be sent again, and ${OVER_BUDGET}`);
    });
  }

  /** From the first refusal until nothing is left to be sent again. */
  get active(): boolean {
    return this.#cancelExpiry !== undefined;
  }

  /** Takes a reply that is a refusal, says that the engine runs a script, or follows such a reply. */
  answered(request: Buffer, reply: Buffer): void {
    const refused = isRefusal(reply);
    const waits = isBusyReply(reply) && this.#busy?.spares(this.#route.endpoint.clock.uptimeMs(), true) === true;
    if (!refused && reply[0] !== MINUS) this.#busy?.over();
    if (this.#dropped || (!refused && !waits && this.#gathered.length === 0)) this.#route.reply(reply);
    else if (refused) this.#gather({ request });
    // a request that failed or only reads is sent again behind the refused one, so that it sees what that one did
    else if (waits || reply[0] === MINUS || isRead(request)) this.#gather({ request, reply: Buffer.from(reply) });
    else this.#giveBack(reply);
  }

  /** The lane is gone. True when all its requests can be sent again; otherwise the outcome of some is unknown. */
  takeOver(lost: readonly LostRequest[]): boolean {
    if (this.#dropped) return true;
    if (lost.some(({ request, sent }) => sent && !isRead(request))) return false;
    for (const { request } of lost) this.#gather({ request });
    this.settled();
    return true;
  }

  /** Nothing is in flight any more: gathered requests are sent again before the other ones that wait. */
  settled(): void {
    this.#requests = [...this.#gathered.splice(0).map(({ request }) => request), ...this.#requests];
    this.#held.set(this.#requests.reduce((sum, { length }) => sum + length, 0));
    if (this.#requests.length === 0) this.#finish();
    else if (this.#expired) this.#giveUp();
    else this.#retryLater();
  }

  /** Sends again all that waits, if there is a primary that takes it. */
  resend(): void {
    const { endpoint } = this.#route;
    const { counters } = endpoint;
    const primary = onlyRoute(endpoint);
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
    for (const request of run) lane.push(this.#route, 1, request, 0, request.length);
  }

  /** The client is gone: nothing is sent again for it. */
  drop(): void {
    this.#dropped = true;
    this.#requests = [];
    this.#gathered = [];
    this.#end();
  }

  get #busy(): BusyPeriod | undefined {
    return onlyRoute(this.#route.endpoint).upstream?.busy;
  }

  /** A later request was executed. A script that ended in between is no reason to cut: each gets the reply of the engine. */
  #giveBack(reply: Buffer): void {
    const replies = [...this.#gathered.map((one) => one.reply), reply].filter((one) => one !== undefined);
    if (replies.length <= this.#gathered.length)
      this.#route.cut("a request was executed although an earlier one was not");
    else {
      this.#gathered = [];
      for (const one of replies) this.#route.reply(one);
    }
  }

  #gather(gathered: Gathered): void {
    this.#gathered.push(gathered);
    this.#held.set(this.#held.heldBytes + gathered.request.length + (gathered.reply?.length ?? 0));
    const { endpoint } = this.#route;
    if (!this.active) this.#since = performance.now();
    this.#cancelExpiry ??= startTimer(endpoint.clock, onlyRoute(endpoint).holdMs, () => {
      this.#expired = true;
      if (this.#route.inFlight === 0) this.#giveUp();
    });
  }

  #retryLater(): void {
    this.#cancelRetry();
    this.#cancelRetry = startTimer(this.#route.endpoint.clock, RETRY_MS, () => {
      this.resend();
    });
  }

  #giveUp(): void {
    const requests = this.#requests.splice(0);
    this.#end();
    for (let i = 0; i < requests.length; i++) this.#route.reply(onlyRoute(this.#route.endpoint).refusal);
    this.#route.settled();
  }

  #finish(): void {
    this.#route.endpoint.counters.answeredLate.add((performance.now() - this.#since) / 1000, this.#sentAgain);
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

/** A request to be sent again, with its reply when the client may get that instead. */
interface Gathered {
  readonly request: Buffer;
  readonly reply?: Buffer;
}

const MINUS = 45;
const RETRY_MS = 50;
