import { Fault } from "#kit/base/fault";
import { slotsText } from "../../../core/slots/shard-slots.ts";
import { slotTable, type SlotTable } from "../../../core/slots/slot-table.ts";
import type { EndpointConfig, EndpointShard } from "../../../ports/management/proxy-control.ts";
import { faults } from "../faults.ts";
import { epochTooLow } from "../switchover/epoch-too-low.ts";
import type { ShardRoute } from "../switchover/shard-route.ts";
import type { Routes } from "../upstream/only-route.ts";

/** The shards of an endpoint, each with its place, and which of them has each slot. */
export interface ServedShards {
  readonly shards: Routes<EndpointShard>;
  /** Undefined when there is one shard, which has all slots. */
  readonly table: SlotTable | undefined;
}

/** The shards of a configuration; PROXY_SLOT_TABLE unless each slot has one of them. */
export function servedShards({ bdb, shards }: EndpointConfig): ServedShards {
  const [first, ...others] = shards;
  if (first === undefined) throw badTable(bdb, "it has no shard");
  const table = slotTable(shards.map(({ slots }) => slots ?? ALL_SLOTS));
  if (table === undefined) throw badTable(bdb, "not each slot has exactly one shard");
  return { shards: [first, ...others], table: others.length === 0 ? undefined : table };
}

const ALL_SLOTS = [{ from: 0, to: 16_383 }];

/** The shards of a configuration for an endpoint that serves others, or the same ones. */
export interface NextShards extends ServedShards {
  /** They take the place of those that are served. A shard of both keeps its slots, and is kept. */
  readonly isOther: boolean;
}

/**
 * The shards of a configuration for an endpoint that is served by these routes, in the same order unless they are other ones. PROXY_EPOCH_TOO_LOW
 * when its table or a shard is older than what is known, PROXY_SLOT_TABLE when shards or slots are other ones without a higher epoch, or a shard
 * that is served gets other slots.
 */
export function nextShards(
  config: EndpointConfig,
  known: EndpointConfig,
  routes: Routes<Pick<ShardRoute, "id" | "requireEpoch">>,
): NextShards {
  const { bdb } = config;
  const [epoch, knownEpoch] = [config.tableEpoch ?? 0, known.tableEpoch ?? 0];
  const served = servedShards(config);
  if (epoch < knownEpoch) {
    throw epochTooLow(`The slots of database ${bdb} are`, { bdb, known: knownEpoch, given: epoch });
  }
  const isSame = routes.length === served.shards.length && routes.every(({ id }, at) => id === served.shards[at]?.id);
  if (isSame && isEqual(served.table, servedShards(known).table)) {
    for (const [at, route] of routes.entries()) route.requireEpoch(served.shards[at]?.epoch ?? 0);
    return { ...served, isOther: false };
  }
  if (epoch === knownEpoch) throw badTable(bdb, `other shards or slots are served at epoch ${epoch}`);
  for (const [at, route] of routes.entries()) {
    const kept = served.shards.find(({ id }) => id === route.id);
    if (kept === undefined) continue;
    if (!hasSameSlots(kept, known.shards[at])) throw badTable(bdb, "a shard that is served keeps its slots");
    route.requireEpoch(kept.epoch);
  }
  return { ...served, isOther: true };
}

function hasSameSlots(one: EndpointShard, other: EndpointShard | undefined): boolean {
  return other !== undefined && slotsText(one.slots ?? ALL_SLOTS) === slotsText(other.slots ?? ALL_SLOTS);
}

function isEqual(one: SlotTable | undefined, other: SlotTable | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.every((shard, slot) => shard === other[slot]);
}

function badTable(bdb: number, why: string): Fault {
  return new Fault(faults.slotTable, `The shards of database ${bdb} cannot be served: ${why}.`, { bdb });
}

/** Clients are kept from the engine while what other sites hold is not here. */
export function isClosed({ site }: EndpointConfig): boolean {
  return site?.awaitsSites === true;
}
