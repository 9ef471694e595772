import type { DatabaseRecord, ShardRecord } from "./records.ts";

/**
 * The only shard of a database that has one; undefined while it has none. Each use is a place that has to change before databases
 * have several shards: a test counts them, and the number only falls.
 */
export function firstShard({ shards }: Pick<DatabaseRecord, "shards">): ShardRecord | undefined {
  return shards[0];
}
