import { noteSent } from "../client/identity.ts";
import type { SessionParts } from "../client/session-parts.ts";
import { LIMITS } from "../limits/limits.ts";
import { lastClassified } from "../protocol/commands.ts";
import type { Lane } from "../upstream/lane.ts";
import type { LostRequest } from "../upstream/requester.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { Backlog } from "./backlog.ts";
import type { BacklogRoute } from "./backlog.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";
import { onlyRoute } from "../upstream/only-route.ts";

/** The parts of a session that its way through a lane uses. */
type SharedRouteParts = Pick<SessionParts, "identity" | "output" | "turns" | "life"> & {
  readonly endpoint: Pick<SessionEndpoint, "clock" | "routes" | "counters" | "memory">;
};

/** The way of a session's requests through a lane that it shares with other sessions. */
export class SharedRoute implements BacklogRoute {
  inFlight = 0;
  /** Since when the requests that are put on a lane now have waited for a primary, by `performance.now`; 0: they have not. */
  waitedSince = 0;
  readonly endpoint: SharedRouteParts["endpoint"];
  readonly #parts: SharedRouteParts;
  readonly #route: PrimaryView;
  readonly #backlog: Backlog;
  #lane: Lane | undefined;
  #laneOf: Upstream | undefined;
  /** Since when the requests whose replies come next have waited for a primary; 0: they have not. */
  #lateSince = 0;

  constructor(parts: SharedRouteParts) {
    this.endpoint = parts.endpoint;
    this.#parts = parts;
    this.#route = onlyRoute(parts.endpoint);
    this.#backlog = new Backlog(this);
  }

  get wantsWholeReplies(): boolean {
    return this.#backlog.active;
  }

  /** The client waits for a reply. */
  get hasPending(): boolean {
    return this.inFlight > 0 || this.#backlog.active;
  }

  get client(): string {
    return this.#parts.identity.address;
  }

  /** More requests may be sent. */
  get open(): boolean {
    return !this.#backlog.active && this.inFlight < LIMITS.inFlight;
  }

  /** A lane that takes requests now; when there is none, it is dialled. */
  usableLane(): Lane | undefined {
    const { upstream } = this.#route;
    const lane = this.#lane;
    if (lane !== undefined && !lane.closed && this.#laneOf === upstream) return lane.congested ? undefined : lane;
    // replies of the old lane come first
    if (this.inFlight > 0) return undefined;
    const choice = upstream?.lanes.choose(this.#parts.identity.settings);
    this.#lane = choice !== undefined && "lane" in choice ? choice.lane : undefined;
    this.#laneOf = upstream;
    return this.#lane;
  }

  cut(why: string): void {
    this.#parts.life.cut(why);
  }

  /** The settings of the client have changed: it needs another lane. */
  leaveLane(): void {
    this.#lane = undefined;
  }

  /** Forwards one request that lies alone in `request`; false when it cannot be sent now. */
  forward(request: Buffer): boolean {
    const lane = this.usableLane();
    if (lane === undefined) return this.#route.unavailable && this.#parts.turns.answer(this.#route.refusal);
    this.push(lane, 1, request, request.length);
    return true;
  }

  /** Forwards `count` requests that lie in `bytes` up to `end`. */
  push(lane: Lane, count: number, bytes: Buffer, end: number): void {
    this.endpoint.counters.requests += count;
    noteSent(this.#parts.identity, lastClassified(), this.endpoint.clock.uptimeMs());
    if (this.waitedSince !== 0) this.#lateSince = this.waitedSince;
    lane.push(this, count, bytes, 0, end);
  }

  /** Sends what an engine has refused, if there is a primary now. */
  resend(): void {
    this.#backlog.resend();
  }

  /** The client is gone. */
  drop(): void {
    this.#backlog.drop();
  }

  deliver(bytes: Buffer): void {
    this.#parts.output.deliver(bytes);
  }

  reply(reply: Buffer): void {
    this.#parts.output.reply(reply);
  }

  finished(count: number, seconds: number): void {
    const { counters } = this.endpoint;
    // what was refused is counted once it has been sent again
    if (this.#backlog.active) return;
    if (this.#lateSince === 0) counters.answered.add(seconds, count);
    else counters.answeredLate.add((performance.now() - this.#lateSince) / 1000, count);
    this.#lateSince = 0;
  }

  answered(request: Buffer, reply: Buffer): void {
    this.#backlog.answered(request, reply);
  }

  settled(): void {
    if (this.#backlog.active && this.inFlight === 0) this.#backlog.settled();
    this.#parts.turns.settled();
  }

  lost(requests: readonly LostRequest[], partlyDelivered: boolean): void {
    this.#lane = undefined;
    if (partlyDelivered || !this.#backlog.takeOver(requests))
      this.#parts.life.cut("the engine is gone with a request of unknown outcome");
    else this.#parts.turns.settled();
  }
}
