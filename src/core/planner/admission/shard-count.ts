/** How many shards are asked for, and whether the database is a site of an Active-Active database. */
export interface AskedShards {
  readonly count: number;
  readonly isSite: boolean;
}

/** Why a database cannot have so many shards; undefined when it can. What is asked of objects and of the management API is decided here alone. */
export function shardCountObjection({ count, isSite }: AskedShards): string | undefined {
  if (count === 1) return undefined;
  return isSite ? "a site of an Active-Active database has one shard" : "this release serves a database from one shard";
}
