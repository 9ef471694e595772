import type { SlotTable } from "../../../core/slots/slot-table.ts";
import type { ClientIdentity } from "../client/identity.ts";
import type { SessionParts } from "../client/session-parts.ts";
import type { Lane } from "../upstream/lane.ts";
import { anyShard, anyShardAt, routeTo } from "../upstream/only-route.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { LaneWays } from "./lane-ways.ts";
import { ReplyQueue } from "./reply-queue.ts";
import type { Run } from "./run.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";
import { SharedRoute } from "./shared-route.ts";

/** The parts of a session that its ways to several shards use. */
export interface ShardedParts {
  readonly identity: ClientIdentity;
  readonly endpoint: Pick<SessionEndpoint, "clock" | "counters" | "memory" | "place" | "routes">;
  readonly output: SessionParts["output"];
  readonly life: Pick<SessionParts["life"], "cut">;
  readonly turns: Pick<SessionParts["turns"], "answer" | "settled">;
}

/** A request for one shard, by the place of the shard in the table; it may be a part of a request of the client. */
export interface ShardPart {
  readonly shard: number;
  readonly request: Buffer;
}

/** Makes the reply to a request of the whole replies to its parts, which are in the order of the parts. */
export type MergeReplies = (replies: readonly Buffer[]) => Buffer;

/** The way to one shard. */
export interface ShardWay {
  readonly primary: PrimaryView;
  readonly shared: SharedRoute;
}

/**
 * The ways of a session's requests to the shards of its database. Each request waits for its own shard alone, and its reply for those to the
 * requests before it.
 */
export class ShardWays implements LaneWays {
  /** Since when the requests that are forwarded now have waited for a primary, by `performance.now`; 0: they have not. */
  waitedSince = 0;
  /** Which shard has each slot. */
  readonly table: SlotTable;
  readonly replies: ReplyQueue;
  readonly #parts: ShardedParts;
  /** By the place of the shard; made when the client first needs it. */
  readonly #ways: (ShardWay | undefined)[] = [];
  /** The script that was loaded last for a request of the client. */
  #tried: { readonly shard: number; readonly sha: string } | undefined;

  constructor(parts: ShardedParts, table: SlotTable) {
    this.table = table;
    this.#parts = parts;
    this.replies = new ReplyQueue(parts);
  }

  /** The places of all shards. */
  get shards(): readonly number[] {
    return this.#parts.endpoint.routes.map((_, shard) => shard);
  }

  /** The place of a shard that serves now, if there is one; for a client of a cluster one of its node, if it has one. */
  get any(): number {
    const { identity, endpoint } = this.#parts;
    return (identity.ofCluster && anyShardAt(endpoint, endpoint.place.host)) ?? anyShard(endpoint);
  }

  /** Those that the client has needed so far. */
  get used(): readonly SharedRoute[] {
    return this.#ways.flatMap((way) => way?.shared ?? []);
  }

  answerBehind(reply: Buffer): boolean {
    if (this.replies.isEmpty) return false;
    this.replies.split([], { merge: () => reply, whole: undefined });
    return true;
  }

  isBusyAt(primary: PrimaryView): boolean {
    return this.#ways.some((way) => way?.primary === primary && way.shared.inFlight > 0);
  }

  /** Forwards one request; false when it cannot be sent now. */
  forward(part: ShardPart): boolean {
    return this.#send([part], (ways) => ways.map((way) => this.replies.runOf(way)));
  }

  /** Forwards the parts of a request, all of them or none; false when one cannot be sent now. `whole`: the request, when they are not about keys. */
  forwardParts(parts: readonly ShardPart[], merge: MergeReplies, whole?: Buffer): boolean {
    return this.#send(parts, (ways) => this.replies.split(ways, { merge, whole }));
  }

  /**
   * Loads a script that the proxy knows into the shard at this place; undefined when the shard has it, or this was tried when the same was asked
   * before: the engine then says what it has.
   */
  bringScript(shard: number, sha: string): Promise<void> | undefined {
    const tried = this.#tried;
    this.#tried = undefined;
    if (tried?.shard === shard && tried.sha === sha) return undefined;
    const loaded = routeTo(this.#parts.endpoint, shard).upstream?.scripts.bring(sha);
    if (loaded !== undefined) this.#tried = { shard, sha };
    return loaded;
  }

  #send(parts: readonly ShardPart[], runsOf: (ways: readonly SharedRoute[]) => readonly Run[]): boolean {
    if (this.replies.room === 0) return false;
    const ways = parts.map(({ shard }) => this.wayTo(shard));
    // all that have to be dialled are dialled now
    const lanes = ways.map(laneTo).filter((lane) => lane !== undefined);
    if (lanes.length < ways.length) {
      const gone = ways.find(({ primary }) => primary.unavailable);
      return gone !== undefined && this.#parts.turns.answer(gone.primary.refusal);
    }
    const runs = runsOf(ways.map(({ shared }) => shared));
    for (const [at, { request }] of parts.entries()) {
      const [way, lane, run] = [ways[at], lanes[at], runs[at]];
      if (way === undefined || lane === undefined || run === undefined) throw new Error("a part has no way");
      way.shared.waitedSince = this.waitedSince;
      way.shared.push(lane, 1, request, request.length, 0, run);
    }
    return true;
  }

  /** The way to the shard at this place. */
  wayTo(shard: number): ShardWay {
    const known = this.#ways[shard];
    if (known !== undefined) return known;
    const { turns, endpoint, ...parts } = this.#parts;
    const primary = routeTo(endpoint, shard);
    const own = {
      answer: (reply: Buffer) => turns.answer(reply),
      settled: () => {
        const isAwaited = this.replies.advance();
        if (shared.inFlight === 0 || isAwaited) turns.settled();
      },
    };
    const { identity, output, life } = parts;
    const shared = new SharedRoute({ identity, output, life, endpoint, turns: own }, primary);
    return (this.#ways[shard] = { primary, shared });
  }
}

/** A lane to the shard that takes requests now; when there is none, it is dialled. */
export function laneTo({ primary, shared }: ShardWay): Lane | undefined {
  return primary.held || !shared.open ? undefined : shared.usableLane();
}
