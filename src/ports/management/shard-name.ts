import type { DatabaseRecord } from "../../core/api/records.ts";
import type { ShardName } from "./proxy-control.ts";

/**
 * Names a shard in a command: by its id where the database has others. Nodes before 0.5.0 know one shard for each database and refuse a
 * command that names it, so the only shard stays without a name.
 */
export function nameShard({ uid: bdb, shards }: Pick<DatabaseRecord, "uid" | "shards">, shard: number): ShardName {
  return shards.length === 1 ? { bdb } : { bdb, shard };
}
