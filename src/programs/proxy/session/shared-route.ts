import { noteSent } from "../client/identity.ts";
import type { SessionParts } from "../client/session-parts.ts";
import { LIMITS } from "../limits/limits.ts";
import { lastClassified } from "../protocol/commands.ts";
import type { Lane } from "../upstream/lane.ts";
import type { LostRequest } from "../upstream/requester.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { Backlog } from "./backlog.ts";
import type { BacklogRoute, RefusedRequest, RequestOwner } from "./backlog.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";

/** The parts of a session that its way through a lane uses. */
export interface SharedRouteParts {
  readonly identity: SessionParts["identity"];
  readonly output: Pick<SessionParts["output"], "deliver" | "reply">;
  readonly turns: Pick<SessionParts["turns"], "answer" | "settled">;
  readonly life: Pick<SessionParts["life"], "cut">;
  readonly endpoint: Pick<SessionEndpoint, "clock" | "counters" | "memory" | "place">;
}

/** The way of a session's requests to one shard, through a lane that it shares with other sessions. */
export class SharedRoute implements BacklogRoute, RequestOwner {
  inFlight = 0;
  deferred = 0;
  /** Since when the requests that are put on a lane now have waited for a primary, by `performance.now`; 0: they have not. */
  waitedSince = 0;
  readonly #parts: SharedRouteParts;
  readonly #route: PrimaryView;
  readonly #backlog: Backlog;
  #lane: Lane | undefined;
  #laneOf: Upstream | undefined;
  /** Since when the requests whose replies come next have waited for a primary; 0: they have not. */
  #lateSince = 0;

  constructor(parts: SharedRouteParts, route: PrimaryView) {
    this.#parts = parts;
    this.#route = route;
    this.#backlog = new Backlog(this, parts.endpoint, route);
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

  /** Forwards `count` requests that lie in `bytes` from `start` to `end`. `owner`: what gets the replies. */
  push(lane: Lane, count: number, bytes: Buffer, end: number, start = 0, owner: RequestOwner = this): void {
    const { endpoint, identity } = this.#parts;
    endpoint.counters.requests += count;
    if (identity.ofCluster !== undefined && this.#laneOf?.address.host !== endpoint.place.host)
      endpoint.counters.ofCluster.forwarded += count;
    noteSent(identity, lastClassified(), endpoint.clock.uptimeMs());
    if (this.waitedSince !== 0) this.#lateSince = this.waitedSince;
    lane.push(owner, count, bytes, start, end);
  }

  /** Sends what an engine has refused, if there is a primary now. */
  resend(): void {
    this.#backlog.resend();
  }

  /** The client is gone, or goes on elsewhere: gives away what an engine has refused. */
  drop(): readonly RefusedRequest[] {
    return this.#backlog.drop();
  }

  deliver(bytes: Buffer, start: number, end: number): void {
    this.#parts.output.deliver(bytes.subarray(start, end));
  }

  reply(reply: Buffer): void {
    this.#parts.output.reply(reply);
  }

  finished(count: number, seconds: number): void {
    const { counters } = this.#parts.endpoint;
    // what was refused is counted once it has been sent again
    if (this.#backlog.active) return;
    if (this.#lateSince === 0) counters.answered.add(seconds, count);
    else counters.answeredLate.add((performance.now() - this.#lateSince) / 1000, count);
    this.#lateSince = 0;
  }

  answered(request: Buffer, reply: Buffer, owner: RequestOwner = this): void {
    this.#backlog.answered(request, reply, owner);
  }

  settled(): void {
    if (this.#backlog.active && this.inFlight === 0) this.#backlog.settled();
    this.#parts.turns.settled();
  }

  lost(requests: readonly LostRequest[], partlyDelivered: boolean, owner: RequestOwner = this): void {
    this.#lane = undefined;
    if (partlyDelivered || !this.#backlog.takeOver(requests, owner))
      this.#parts.life.cut("the engine is gone with a request of unknown outcome");
    else this.#parts.turns.settled();
  }
}
