import type { ShardInstanceRecord } from "../../../src/ports/management/records.ts";

/** The shard that serves, of those of one database. */
export function primaryOf(shards: readonly ShardInstanceRecord[]): ShardInstanceRecord {
  const found = shards.find(({ role }) => role === "master");
  if (found === undefined) throw new Error("the database has no primary");
  return found;
}

/** The node that a shard is on. */
export function nodeOf({ node_uid }: ShardInstanceRecord): number {
  return Number(node_uid);
}
