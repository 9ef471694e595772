import type { SlotTable } from "../../../core/slots/slot-table.ts";
import { SLOTS } from "../../../core/slots/slot.ts";
import { AccountedBytes } from "../limits/accounted-bytes.ts";
import { OVER_BUDGET } from "../limits/memory-budget.ts";
import { commandName } from "../protocol/arguments.ts";
import { classifyFor } from "../protocol/site-commands.ts";
import { onlyRoute } from "../upstream/only-route.ts";
import { OnlyWay, type LaneWays } from "./lane-ways.ts";
import { isFree } from "./is-free.ts";
import { leftBytes, type LeftParts, type LeftRequest, type LeftWhole } from "./left-request.ts";
import type { ServingShards } from "../pinned/shard-parts.ts";
import { PinnedCrossing, type PinnedCrossingParts } from "./pinned-crossing.ts";
import type { RequestTaker } from "./request-reader.ts";
import { ShardedRoute } from "./sharded-route.ts";
import { SharedRoute } from "./shared-route.ts";
import { ShardWays, type ShardedParts } from "./shard-ways.ts";
import { splitByShard } from "./split-by-shard.ts";

/** The way of a session's requests through lanes, by the table of its endpoint. */
interface LaneRoute {
  readonly shared: SharedRoute | ShardedRoute;
  readonly ways: LaneWays;
}

/** The way to the shards that serve now. */
function laneRoute(parts: ShardedParts, table: SlotTable | undefined): LaneRoute {
  if (table === undefined) {
    const shared = new SharedRoute(parts, onlyRoute(parts.endpoint));
    return { shared, ways: new OnlyWay(shared) };
  }
  const ways = new ShardWays(parts, table);
  return { shared: new ShardedRoute(ways), ways };
}

/** The parts of a session that go over to other shards. */
interface CrossingParts extends ShardedParts, PinnedCrossingParts {
  readonly endpoint: ShardedParts["endpoint"] & PinnedCrossingParts["endpoint"];
  readonly output: PinnedCrossingParts["output"];
  readonly shared: LaneRoute["shared"];
  readonly uploads: {
    /** Other shards than those of the former table serve the database from now on. */
    changeTable(former: ServingShards): void;
  };
  readonly life: PinnedCrossingParts["life"];
  readonly turns: PinnedCrossingParts["turns"] & Pick<RequestTaker, "take" | "isWaiting">;
  readonly work: {
    /** The client waits for a reply. */
    readonly hasPending: boolean;
    /** Gives replies their place behind what is pending; false when they have none there. */
    answerBehind(reply: Buffer): boolean;
  };
}

/**
 * One session on its way from the shards of a table to those of the next one. It leaves the former ones when nothing of it is on their lanes. What
 * they have not executed goes to the new ones, in the order of the client and before all that follows.
 */
export class TableCrossing {
  /** Requests of the client wait for this. */
  isDue = false;
  readonly #parts: CrossingParts;
  readonly #use: (shared: LaneRoute["shared"]) => void;
  #ways: LaneWays;
  readonly #held: AccountedBytes;
  readonly #pinned: PinnedCrossing;
  /** The client's way is that of a former table. */
  #isLeaving = false;
  /** The only shard is reached as one of several, until the parts of requests are answered. */
  #isInParts = false;
  #left: LeftRequest[] = [];

  /** `use` takes over the way to the shards that serve, now and when they change. */
  constructor(parts: CrossingParts, use: (shared: LaneRoute["shared"]) => void) {
    this.#parts = parts;
    this.#use = use;
    this.#pinned = new PinnedCrossing(parts, (left) => {
      this.#left = [...this.#left, ...left];
      this.#noteLeft();
    });
    const { shared, ways } = laneRoute(parts, parts.endpoint.table);
    this.#ways = ways;
    use(shared);
    this.#held = new AccountedBytes(parts.endpoint.memory, () => {
      parts.life.cut(`its requests must be sent again, and ${OVER_BUDGET}`);
    });
  }

  /** The ways of the client's requests through lanes. */
  get ways(): LaneWays {
    return this.#ways;
  }

  /** These shards are to serve: connects to them what may miss nothing. It does not reject. */
  async prepare(next: ServingShards): Promise<void> {
    if (!this.#parts.life.ended) await this.#pinned.prepare(next);
  }

  /** They are not to serve, for now. */
  giveUp(): void {
    this.#pinned.giveUp();
  }

  /** Other shards than those of the former table serve the database from now on. */
  begin(former: ServingShards): void {
    this.isDue = true;
    this.#isLeaving = true;
    this.#parts.uploads.changeTable(former);
    this.#pinned.begin(former);
    this.goOn();
  }

  /** Takes back a request that shards were to answer that do not serve any more. */
  giveBack(request: Buffer): void {
    // it was taken last: what is left comes behind it
    this.#left.unshift({ request });
    this.#noteLeft();
    this.isDue = true;
  }

  /** Goes on as far as the session can now. */
  goOn(): void {
    if (!this.isDue || this.#parts.life.ended) return;
    if (this.#isLeaving && !this.#leave()) return;
    if (!this.#offerLeft()) return;
    if (this.#isInParts && !this.#endParts()) return;
    this.isDue = false;
  }

  /** The client is gone. */
  drop(): void {
    this.#left = [];
    this.#held.set(0);
    this.#pinned.giveUp();
  }

  /** False while something is on a lane to a former shard. */
  #leave(): boolean {
    const { endpoint, shared } = this.#parts;
    if (shared.inFlight > 0 || this.#pinned.isLeaving) return false;
    this.#isLeaving = false;
    this.#left = [...leftAt(shared), ...this.#left];
    this.#isInParts = endpoint.table === undefined && this.#left.some((left) => "parts" in left);
    this.#go(this.#isInParts ? WHOLE : this.#table);
    this.#noteLeft();
    return true;
  }

  /** False while some of it cannot be sent. */
  #offerLeft(): boolean {
    while (isFree(this.#parts)) {
      const left = this.#left.shift();
      if (left === undefined) break;
      if (!this.#offer(left)) {
        this.#left.unshift(left);
        break;
      }
      this.#noteLeft();
    }
    return this.#left.length === 0;
  }

  #offer(left: LeftRequest): boolean {
    if ("request" in left) return this.#offerRequest(left);
    return "parts" in left ? this.#offerParts(left) : this.#offerReply(left.reply);
  }

  #offerRequest({ request }: LeftWhole): boolean {
    const { endpoint, turns } = this.#parts;
    const name = Buffer.from(commandName(request), "latin1");
    if (!turns.take(request, classifyFor(endpoint)(name, 0, name.length))) return false;
    endpoint.counters.resent++;
    return true;
  }

  #offerReply(reply: Buffer): boolean {
    const { work, output } = this.#parts;
    if (work.hasPending) return work.answerBehind(reply);
    output.deliver(reply);
    return true;
  }

  /** Sends the parts that were not executed, each to the shards of its keys. */
  #offerParts({ parts, merge }: LeftParts): boolean {
    const { shared, endpoint } = this.#parts;
    if (!(shared instanceof ShardedRoute)) throw new Error("the parts of a request have no way");
    const { ways } = shared;
    const known = parts.map((part) =>
      Buffer.isBuffer(part) ? part : splitByShard(ways, part.request, commandName(part.request)),
    );
    const split = known.filter((part) => part !== undefined);
    if (split.length < known.length) throw new Error("a part of a request has no shard");
    const sent = split.flatMap((part) => (Buffer.isBuffer(part) ? [] : part.parts));
    const isSent = ways.forwardParts(sent, (replies) => {
      const next = replies.values();
      return merge(split.map((part) => (Buffer.isBuffer(part) ? part : part.merge([...next.take(part.parts.length)]))));
    });
    if (isSent) endpoint.counters.resent += sent.length;
    return isSent;
  }

  /** False while the parts are not answered. */
  #endParts(): boolean {
    const { shared } = this.#parts;
    if (shared.hasPending) return false;
    this.#isInParts = false;
    this.#go(this.#table);
    return true;
  }

  /** What is tracked is read as at several shards, also at an only one. */
  get #table(): SlotTable | undefined {
    const { endpoint, pinned } = this.#parts;
    return endpoint.table ?? (pinned.listeners === undefined ? undefined : WHOLE);
  }

  #go(table: SlotTable | undefined): void {
    const { shared, ways } = laneRoute(this.#parts, table);
    this.#ways = ways;
    this.#use(shared);
  }

  #noteLeft(): void {
    this.#held.set(this.#left.reduce((sum, left) => sum + leftBytes(left), 0));
  }
}

/** What the client waits for on its way to shards that do not serve any more. */
function leftAt(shared: LaneRoute["shared"]): readonly LeftRequest[] {
  return shared instanceof ShardedRoute ? shared.takeLeft() : shared.drop().map(({ request }) => ({ request }));
}

/** The table of an only shard. */
const WHOLE: SlotTable = new Uint16Array(SLOTS);
