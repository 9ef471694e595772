import type { DatabaseRecord, ShardRecord } from "../api/records.ts";
import { withSitesJoined } from "./changes.ts";

/** Whether what the other sites hold is at this shard, as its present primary: another one, or another start of it, has to be asked again. */
export function hasJoined({ sitesJoined = [] }: DatabaseRecord, shard: ShardRecord): boolean {
  return sitesJoined.includes(startOf(shard));
}

/** A site that awaits others, with the shards of these ids at which what the others hold is; when it is at all, clients are let in. */
export function withShardsJoined(record: DatabaseRecord, ids: readonly number[]): DatabaseRecord {
  const joined = record.shards.filter((shard) => ids.includes(shard.id) || hasJoined(record, shard));
  if (joined.length === record.shards.length) return withSitesJoined(record);
  const sitesJoined = joined.map(startOf);
  const isKnown = joined.every((shard) => hasJoined(record, shard));
  return isKnown ? record : { ...record, sitesJoined };
}

function startOf({ id, epoch, primary, instances }: ShardRecord): string {
  return `${id}/${epoch}/${primary}/${instances.find((instance) => instance.id === primary)?.launch ?? 0}`;
}
