import type { LostRequest } from "../upstream/requester.ts";
import type { RequestOwner } from "./backlog.ts";
import type { SharedRoute } from "./shared-route.ts";

/** Where the replies to a run go, in the order of its requests. */
export interface RunReplies {
  deliver(run: Run, bytes: Buffer): void;
  reply(run: Run, reply: Buffer): void;
  /** Of the requests of the client, so many more are on a lane. */
  count(more: number): void;
}

/**
 * Requests of one client that follow each other and are about keys of one shard: what a lane knows as their owner, so that replies of other
 * shards find their place among those of this one. Each request is on the lane, or waits in the backlog of the shard, until it is answered.
 */
export class Run implements RequestOwner {
  deferred = 0;
  /** Replies that wait for earlier ones of other shards. */
  kept: Buffer[] | undefined;
  readonly #way: SharedRoute;
  readonly #replies: RunReplies;
  #inFlight = 0;

  constructor(way: SharedRoute, replies: RunReplies) {
    this.#way = way;
    this.#replies = replies;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The shard counts the requests of all its runs. */
  set inFlight(count: number) {
    const more = count - this.#inFlight;
    this.#inFlight = count;
    this.#way.inFlight += more;
    this.#replies.count(more);
  }

  get client(): string {
    return this.#way.client;
  }

  get wantsWholeReplies(): boolean {
    return this.#way.wantsWholeReplies;
  }

  deliver(bytes: Buffer): void {
    this.#replies.deliver(this, bytes);
  }

  reply(reply: Buffer): void {
    this.#replies.reply(this, reply);
  }

  finished(count: number, seconds: number): void {
    this.#way.finished(count, seconds);
  }

  answered(request: Buffer, reply: Buffer): void {
    this.#way.answered(request, reply, this);
  }

  cut(why: string): void {
    this.#way.cut(why);
  }

  settled(): void {
    this.#way.settled();
  }

  lost(requests: readonly LostRequest[], partlyDelivered: boolean): void {
    this.#way.lost(requests, partlyDelivered, this);
  }
}
