import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { instanceSize } from "../../../../core/planner/node/instance-size.ts";
import { fullestPart } from "../../../../core/slots/fullest-part.ts";
import { slotsText } from "../../../../core/slots/shard-slots.ts";
import type { ShardsPlanRecord } from "../../../../ports/management/records/shards-plan.ts";
import { type DrawnKeysContext, drawKeys } from "../../observation/drawn-keys.ts";
import type { MeasuringContext } from "../../observation/measurements.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { shardsOf } from "../stats/measure.ts";
import { requireChangeOfShards, type ShardChangeContext } from "./shard-checks.ts";

/** Engines start within some seconds; small keys take the longest of all. */
const COPY = { engines: 5, bytesPerSecond: 10_000_000 } as const;

/** How a database would get so many shards; refused as the change itself would be. */
export async function planShards(
  context: ShardChangeContext & MeasuringContext & DrawnKeysContext,
  record: DatabaseRecord,
  text: string,
): Promise<ShardsPlanRecord> {
  const count = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  if (count === 0) throw refuse(refusals.invalidSharding, `"${text}" is no number of shards`);
  const plan = await requireChangeOfShards(context, record, count);
  if (plan === undefined) {
    const has = record.shards.length;
    const asks = `"${record.name}" has ${has} shards${count === has ? ": none are made for that" : `, and ${count} are asked for already`}`;
    throw refuse(refusals.invalidSharding, asks);
  }
  const fullest = fullestPart(
    await drawKeys(context, record),
    plan.shards.map(({ slots }) => slots),
  );
  const primaries = (await shardsOf(context, record)).filter(({ isPrimary }) => isPrimary);
  const used = primaries.reduce((sum, { metrics }) => sum + (metrics["used_memory"] ?? 0), 0);
  return {
    shards_count: record.shards.length,
    shards_count_asked: count,
    used_memory: used,
    copy_seconds: COPY.engines + Math.ceil(used / COPY.bytesPerSecond),
    shard_memory: Math.max(...plan.shards.map((shard) => instanceSize(record, shard).memoryBytes)),
    ...(fullest === undefined ? {} : { fullest_part: fullest }),
    shards: plan.shards.map(({ slots, places }) => ({
      assigned_slots: slotsText(slots),
      node_uids: places.map(({ node }) => String(node)),
    })),
    nodes: plan.memory.map(({ node, before, meanwhile, after }) => ({
      node_uid: String(node),
      memory: before,
      memory_meanwhile: meanwhile,
      memory_afterwards: after,
    })),
    copying_node_uid: String(plan.mover.node),
  };
}
