import type { LostRequest } from "../upstream/requester.ts";
import type { RequestOwner } from "./backlog.ts";
import type { KeptBytes } from "./kept-replies.ts";
import type { SharedRoute } from "./shared-route.ts";

/** Where the replies to a run go, in the order of its requests. */
export interface RunReplies {
  /** Requests of the client that are on lanes. */
  inFlight: number;
  /** `bytes` from `start` to `end` are replies, or parts of them. */
  deliver(run: Run, bytes: Buffer, start: number, end: number): void;
  reply(run: Run, reply: Buffer): void;
  /** All requests of the run that were on lanes are answered. */
  settled(run: Run): void;
}

/** The way to the shard of a run. */
export type RunWay = Pick<
  SharedRoute,
  "inFlight" | "client" | "wantsWholeReplies" | "finished" | "answered" | "cut" | "settled" | "lost"
>;

/** What the queue of a client knows of one of its runs. */
export interface RunState {
  readonly way: RunWay;
  /** It is a part of a request, whose reply is made of those of several runs. */
  readonly isPart: boolean;
  /** The first and the last of its replies that wait for earlier ones of other shards. */
  first: KeptBytes | undefined;
  last: KeptBytes | undefined;
  /** How many requests it had, and how large their replies have been so far. */
  requests: number;
  repliedBytes: number;
}

/**
 * Requests of one client that follow each other and are about keys of one shard: what a lane knows as their owner, so that replies of other
 * shards find their place among those of this one. Each request is on the lane, or waits in the backlog of the shard, until it is answered.
 */
export class Run implements RequestOwner {
  deferred = 0;
  readonly state: RunState;
  readonly #replies: RunReplies;
  #inFlight = 0;

  constructor(way: RunWay, replies: RunReplies, isPart: boolean) {
    this.state = { way, isPart, first: undefined, last: undefined, requests: 0, repliedBytes: 0 };
    this.#replies = replies;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The shard counts the requests of all its runs, and the client those at all shards. */
  set inFlight(count: number) {
    const more = count - this.#inFlight;
    this.#inFlight = count;
    const { state } = this;
    state.way.inFlight += more;
    if (more > 0) state.requests += more;
    this.#replies.inFlight += more;
  }

  get client(): string {
    return this.state.way.client;
  }

  get wantsWholeReplies(): boolean {
    return this.state.way.wantsWholeReplies;
  }

  deliver(bytes: Buffer, start: number, end: number): void {
    this.#replies.deliver(this, bytes, start, end);
  }

  reply(reply: Buffer): void {
    this.#replies.reply(this, reply);
  }

  finished(count: number, seconds: number): void {
    this.state.way.finished(count, seconds);
  }

  answered(request: Buffer, reply: Buffer): void {
    this.state.way.answered(request, reply, this);
  }

  cut(why: string): void {
    this.state.way.cut(why);
  }

  settled(): void {
    this.#replies.settled(this);
    this.state.way.settled();
  }

  lost(requests: readonly LostRequest[], partlyDelivered: boolean): void {
    this.state.way.lost(requests, partlyDelivered, this);
  }
}
