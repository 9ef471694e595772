import type { DatabaseRecord, ShardRecord } from "../../api/records.ts";
import { inOrder, isSameTable } from "../../slots/named-slots.ts";
import { evenSlots, shareSlot, slotsOf, type SizedShard } from "../../slots/shard-slots.ts";

type Shards = Pick<DatabaseRecord, "shards" | "reshape">;

/** The shards that serve and have a slot of one to be, or of one before: all others are kept. None while no other shards are there. */
export function replacedShards({ shards, reshape }: Shards): readonly ShardRecord[] {
  const slots = (reshape?.shards ?? []).flatMap(slotsOf);
  return shards.filter((shard) => shareSlot(slotsOf(shard), slots));
}

/** The shards that serve and stay what they are. */
export function keptShards(record: Shards): readonly ShardRecord[] {
  const replaced = replacedShards(record);
  return record.shards.filter((shard) => !replaced.includes(shard));
}

/** All shards of the table that begins, by their lowest slots: those that are kept, and those to be. */
export function nextTable(record: Shards): readonly ShardRecord[] {
  return inOrder([...keptShards(record), ...(record.reshape?.shards ?? [])]);
}

/** The shards that are asked for, with their slots. */
export function askedTable({
  shards,
  shardCount = shards.length,
  shardSlots,
}: Pick<DatabaseRecord, "shards" | "shardCount" | "shardSlots">): readonly SizedShard[] {
  if (shardSlots !== undefined) return shardSlots;
  const slots = shardCount === shards.length ? shards.map(slotsOf) : evenSlots(shardCount);
  return slots.map((each) => ({ slots: each }));
}

/** True when the shards that serve have the slots that are asked for. */
export function hasAskedTable(record: Pick<DatabaseRecord, "shards" | "shardCount" | "shardSlots">): boolean {
  return isSameTable(askedTable(record), record.shards);
}
