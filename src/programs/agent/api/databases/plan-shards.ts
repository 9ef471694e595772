import type { DatabaseRecord, ShardRecord } from "../../../../core/api/records.ts";
import { shardUid } from "../../../../core/api/shard-uid.ts";
import { instanceSize } from "../../../../core/planner/node/instance-size.ts";
import type { ReshapePlan } from "../../../../core/planner/database/reshape-plan.ts";
import { slotTexts } from "../../../../core/slots/named-slots.ts";
import { partsOfKeys } from "../../../../core/slots/parts-of-keys.ts";
import { slotsOf, slotsText } from "../../../../core/slots/shard-slots.ts";
import type { ShardsPlanRecord } from "../../../../ports/management/records/shards-plan.ts";
import { type DrawnKeysContext, drawKeys } from "../../observation/drawn-keys.ts";
import type { MeasuringContext } from "../../observation/measurements.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { shardsOf } from "../stats/measure.ts";
import { shardsAskedIn, withAskedShards } from "./asked-shards.ts";
import { requireChangeOfShards, type ShardChangeContext } from "./shard-checks.ts";

/** Engines start within some seconds; small keys take the longest of all. */
const COPY = { engines: 5, bytesPerSecond: 10_000_000 } as const;

type PlanningContext = ShardChangeContext & MeasuringContext & DrawnKeysContext;

/** How a database would get these shards: so many, or with slots that are named for each, `0-865;866-16383`. Refused as the change itself would be. */
export async function planShards(
  context: PlanningContext,
  record: DatabaseRecord,
  text: string,
): Promise<ShardsPlanRecord> {
  const next = withAskedShards(record, shardsAskedIn(text));
  const plan = await requireChangeOfShards(context, record, next);
  if (plan === undefined) throw refuse(refusals.invalidSharding, asksText(record, next));
  const [used, parts] = [
    await usedBy(context, record, plan),
    partsOfKeys(await drawKeys(context, record), plan.shards),
  ];
  const shards = plan.shards.map((shard, at) => {
    const part = parts?.[at];
    return {
      assigned_slots: slotsText(shard.slots),
      node_uids: shard.places.map(({ node }) => String(node)),
      memory: instanceSize(record, shard).memoryBytes,
      ...(part === undefined ? {} : { part_of_keys: part }),
    };
  });
  return {
    shards_count: record.shards.length,
    shards_count_asked: plan.table.length,
    shard_slots_asked: slotTexts(plan.table),
    used_memory: used,
    copy_seconds: COPY.engines + Math.ceil(used / COPY.bytesPerSecond),
    shard_memory: Math.max(...shards.map(({ memory }) => memory)),
    shards,
    kept_shards: plan.kept.map((shard) => keptShard(record, shard)),
    nodes: plan.memory.map(({ node, before, meanwhile, after }) => ({
      node_uid: String(node),
      memory: before,
      memory_meanwhile: meanwhile,
      memory_afterwards: after,
    })),
    copying_node_uid: String(plan.mover.node),
  };
}

function asksText({ name, shards }: DatabaseRecord, next: DatabaseRecord): string {
  const { shardCount: count, shardSlots } = next;
  if (shardSlots !== undefined) return `the shards of "${name}" have these slots, or they are asked for already`;
  const isSo = count === shards.length;
  return `"${name}" has ${shards.length} shards${isSo ? ": none are made for that" : `, and ${count} are asked for already`}`;
}

/** What is copied, in bytes: what the primaries of shards that are replaced use. */
async function usedBy(context: PlanningContext, record: DatabaseRecord, { kept }: ReshapePlan): Promise<number> {
  const staying = new Set(kept.map(({ primary }) => String(shardUid(record.uid, primary))));
  const primaries = (await shardsOf(context, record)).filter(({ isPrimary, uid }) => isPrimary && !staying.has(uid));
  return primaries.reduce((sum, { metrics }) => sum + (metrics["used_memory"] ?? 0), 0);
}

function keptShard(record: DatabaseRecord, shard: ShardRecord): ShardsPlanRecord["kept_shards"][number] {
  const { primary, instances } = shard;
  const ofPrimaryFirst = instances.toSorted((one, other) => Number(other.id === primary) - Number(one.id === primary));
  return {
    assigned_slots: slotsText(slotsOf(shard)),
    node_uids: ofPrimaryFirst.map(({ node }) => String(node)),
    memory: instanceSize(record, shard).memoryBytes,
  };
}
