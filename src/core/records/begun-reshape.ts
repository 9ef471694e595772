import { nextShardOf } from "../api/every-shard.ts";
import type { DatabaseRecord, ShardRecord } from "../api/records.ts";
import { portMode } from "../planner/database/facts.ts";
import { askedTable } from "../planner/database/replaced-shards.ts";
import type { ReshapePlan } from "../planner/database/reshape-plan.ts";
import { isSameTable } from "../slots/named-slots.ts";

/** The record of a database whose new shards begin to get their keys, by the plan; itself when others are asked for by now. */
export function withReshapeBegun(record: DatabaseRecord, plan: ReshapePlan, now: string): DatabaseRecord {
  if (record.reshape !== undefined || !isSameTable(askedTable(record), plan.table)) return record;
  const first = nextShardOf(record);
  let nextInstance = record.nextInstance;
  const shards = plan.shards.map(({ slots, share, places }, at): ShardRecord => {
    const primary = nextInstance;
    const instances = places.map((place) => ({
      id: nextInstance++,
      ...place,
      storeVersion: record.storeVersion,
      ...portMode(record),
      // each is a replica until it is promoted: a launch would let its node start it without data
      launch: 0,
    }));
    return { id: first + at, epoch: 1, primary, instances, slots, ...(share === undefined ? {} : { share }) };
  });
  const tableEpoch = (record.tableEpoch ?? 0) + 1;
  const reshape = { tableEpoch, phase: "copy", shards, mover: plan.mover, attempt: 1, since: now } as const;
  return { ...record, reshape, nextInstance, nextShard: first + shards.length };
}
