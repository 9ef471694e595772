import type { DatabaseRecord, ShardRecord } from "./records.ts";

/** The shards that serve, and those that are to serve or that served before: all whose engines the record asks for. */
export function everyShard({ shards, reshape }: Pick<DatabaseRecord, "shards" | "reshape">): readonly ShardRecord[] {
  return reshape === undefined ? shards : [...shards, ...reshape.shards];
}
