import type { Lane } from "../upstream/lane.ts";
import type { LeftRequest } from "./left-request.ts";
import type { ShardWays } from "./shard-ways.ts";

/** The way of a session's requests to a database of several shards, as the rest of the session sees it: as it sees the way to the only shard. */
export class ShardedRoute {
  readonly ways: ShardWays;

  constructor(ways: ShardWays) {
    this.ways = ways;
  }

  /** Requests on lanes that are not answered. */
  get inFlight(): number {
    return this.ways.replies.inFlight;
  }

  /** The client waits for a reply. */
  get hasPending(): boolean {
    return !this.ways.replies.isEmpty;
  }

  /** More requests may be sent, as far as their shards take them. */
  get open(): boolean {
    return this.ways.replies.room > 0;
  }

  /** Since when the requests that are forwarded now have waited for a primary, by `performance.now`; 0: they have not. */
  set waitedSince(since: number) {
    this.ways.waitedSince = since;
  }

  /** No lane takes requests whatever their keys are. */
  usableLane(): Lane | undefined {
    return undefined;
  }

  /** Never called, because there is no lane for it. */
  push(): void {
    throw new Error("requests go to their shards one by one");
  }

  /** Forwards a request that any engine answers alike; false when it cannot be sent now. */
  forward(request: Buffer): boolean {
    return this.ways.forward({ shard: this.ways.any, request });
  }

  /** The settings of the client have changed: it needs other lanes. */
  leaveLane(): void {
    for (const shared of this.ways.used) shared.leaveLane();
  }

  /** Sends again what engines have refused, where there is a primary now. */
  resend(): void {
    for (const shared of this.ways.used) shared.resend();
  }

  /** What the client waits for, in the order of its requests; nothing may be on a lane. */
  takeLeft(): readonly LeftRequest[] {
    const { used, replies } = this.ways;
    const refused = Map.groupBy(
      used.flatMap((way) => way.drop()),
      ({ owner }) => owner,
    );
    return replies.takeLeft((run) => (refused.get(run) ?? []).map(({ request }) => request));
  }

  /** The client is gone. */
  drop(): void {
    this.ways.replies.drop();
    for (const shared of this.ways.used) shared.drop();
  }
}
