import type { LostRequest } from "../upstream/requester.ts";
import type { RequestOwner } from "./backlog.ts";
import type { KeptBytes } from "./kept-replies.ts";
import type { SharedRoute } from "./shared-route.ts";

/** Where the replies to a run go, in the order of its requests. */
export interface RunReplies {
  /** Requests of the client that are on lanes. */
  inFlight: number;
  /** `bytes` from `start` to `end` are replies, or parts of them; the first of REPLY_ENDS say where `whole` of them end. */
  deliver(run: Run, bytes: Buffer, start: number, end: number, whole: number): void;
  reply(run: Run, reply: Buffer): void;
  /** All requests of the run that were on lanes are answered. */
  settled(run: Run): void;
}

/** The way to the shard of a run. */
export type RunWay = Pick<
  SharedRoute,
  "inFlight" | "client" | "wantsWholeReplies" | "finished" | "answered" | "cut" | "settled" | "lost"
>;

/**
 * What becomes of the replies to a run.
 * - alone: they go to the client
 * - part: it has a part of a request, whose reply is made of those of several runs
 * - weave: they go to the client in turn with those of other runs
 */
export type RunKind = "alone" | "part" | { readonly weave: WovenReplies; readonly strand: number };

/** Where the replies of several runs take turns. */
interface WovenReplies {
  /** Bytes of a strand are kept, in which so many replies end. */
  note(strand: number, start: number, end: number, replies: number): void;
}

/** What the queue of a client knows of one of its runs. */
export interface RunState {
  way: RunWay;
  replies: RunReplies;
  readonly kind: RunKind;
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
  #inFlight = 0;

  constructor(way: RunWay, replies: RunReplies, kind: RunKind) {
    this.state = { way, replies, kind, first: undefined, last: undefined, requests: 0, repliedBytes: 0 };
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
    state.replies.inFlight += more;
  }

  get client(): string {
    return this.state.way.client;
  }

  get wantsWholeReplies(): boolean {
    return this.state.way.wantsWholeReplies;
  }

  deliver(bytes: Buffer, start: number, end: number, whole: number): void {
    this.state.replies.deliver(this, bytes, start, end, whole);
  }

  reply(reply: Buffer): void {
    this.state.replies.reply(this, reply);
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
    this.state.replies.settled(this);
    this.state.way.settled();
  }

  lost(requests: readonly LostRequest[], partlyDelivered: boolean): void {
    this.state.way.lost(requests, partlyDelivered, this);
  }
}

/** Each of its requests has its reply, or is to have none. */
export function isAnswered({ inFlight, deferred }: Run): boolean {
  return inFlight === 0 && deferred === 0;
}

/** Uses a run again, for requests that go this way. */
export function beginRun({ state }: Run, way: RunWay, replies: RunReplies): void {
  state.way = way;
  state.replies = replies;
  state.requests = state.repliedBytes = 0;
}

/** All requests of the run are answered: it keeps nothing of its client until it is used again. */
export function endRun(run: Run): void {
  beginRun(run, NO_WAY, NO_REPLIES);
}

const doNothing = (): void => undefined;
/** The way of a run that is not in use. */
const NO_WAY: RunWay = {
  inFlight: 0,
  client: "",
  wantsWholeReplies: false,
  finished: doNothing,
  answered: doNothing,
  cut: doNothing,
  settled: doNothing,
  lost: doNothing,
};
const NO_REPLIES: RunReplies = { inFlight: 0, deliver: doNothing, reply: doNothing, settled: doNothing };
