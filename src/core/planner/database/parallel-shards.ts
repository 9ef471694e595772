import type { DatabaseRecord, ShardRecord } from "../../api/records.ts";
import { desiredInstances, isAsAsked } from "./facts.ts";

/** The shards of an upgrade that have got some of what it asks for and not all of it, or have a copy more meanwhile. */
function shardsUnderWay(record: DatabaseRecord): readonly ShardRecord[] {
  return record.shards.filter(({ instances }) => {
    const asAsked = instances.filter((instance) => isAsAsked(record, instance)).length;
    return asAsked < instances.length && (asAsked > 0 || instances.length > desiredInstances(record));
  });
}

/**
 * Why the upgrade of a shard does not begin yet; undefined when it may. As many shards are upgraded at the same time as the request says, or else the
 * database; 0 is no limit. A shard that has begun goes on.
 */
export function whyNotBegun(record: DatabaseRecord, shard: ShardRecord): string | undefined {
  const { parallelShards: most = record.parallelShards } = record.upgrade ?? {};
  const underWay = shardsUnderWay(record);
  if (most === 0 || underWay.length < most || underWay.includes(shard)) return undefined;
  return most === 1 ? "one shard is upgraded at a time" : `${most} shards are upgraded at a time`;
}
