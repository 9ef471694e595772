import type { DatabaseRecord, ShardRecord } from "./records.ts";

/** The shards that serve, and those that are to serve or that served before: all whose engines the record asks for. */
export function everyShard({ shards, reshape }: Pick<DatabaseRecord, "shards" | "reshape">): readonly ShardRecord[] {
  return reshape === undefined ? shards : [...shards, ...reshape.shards];
}

/** How many shards are asked for. */
export function askedShards({
  shards,
  shardCount = shards.length,
}: Pick<DatabaseRecord, "shards" | "shardCount">): number {
  return shardCount;
}

/** The id that the next new shard of a database gets. */
export function nextShardOf(record: Pick<DatabaseRecord, "shards" | "reshape" | "nextShard">): number {
  return record.nextShard ?? Math.max(0, ...everyShard(record).map(({ id }) => id)) + 1;
}
