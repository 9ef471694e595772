import { nextShardOf } from "../api/every-shard.ts";
import type { DatabaseRecord, ShardRecord } from "../api/records.ts";
import { portMode } from "../planner/database/facts.ts";
import type { ReshapePlan } from "../planner/database/reshape-plan.ts";

/** The record of a database whose new shards begin to get their keys, by the plan; itself when another number is asked for by now. */
export function withReshapeBegun(record: DatabaseRecord, plan: ReshapePlan, now: string): DatabaseRecord {
  if (record.reshape !== undefined || record.shardCount !== plan.shards.length) return record;
  const first = nextShardOf(record);
  let nextInstance = record.nextInstance;
  const shards = plan.shards.map(({ slots, places }, at): ShardRecord => {
    const primary = nextInstance;
    const instances = places.map((place) => ({
      id: nextInstance++,
      ...place,
      storeVersion: record.storeVersion,
      ...portMode(record),
      // each is a replica until it is promoted: a launch would let its node start it without data
      launch: 0,
    }));
    return { id: first + at, epoch: 1, primary, instances, slots };
  });
  const tableEpoch = (record.tableEpoch ?? 0) + 1;
  const reshape = { tableEpoch, phase: "copy", shards, mover: plan.mover, attempt: 1, since: now } as const;
  return { ...record, reshape, nextInstance, nextShard: first + shards.length };
}
