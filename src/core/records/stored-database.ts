import { FORMAT, SLOTS_FORMAT } from "../api/format.ts";
import type { DatabaseRecord, ShardRecord, ShardRecovery } from "../api/records.ts";
import { hasSlots } from "./slots-of-shards.ts";

/**
 * A database as it is stored. Nodes of releases before 0.5.0 know databases of one shard, and read and write what that shard
 * lacks as a field of the database: with one shard that field alone is stored, so that two forms never contradict each other.
 * With several shards, which no such node serves, each shard has its own.
 */
export interface StoredDatabase extends DatabaseRecord {
  /** Nodes of release 0.1.0 ignore it and never write it. */
  readonly recovery?: ShardRecovery;
}

/** The record as programs use it: what is lacking belongs to a shard, and is there only while the database is in recovery. */
export function fromStored({ recovery, ...record }: StoredDatabase): DatabaseRecord {
  const [shard, ...others] = record.shards;
  if (shard === undefined || others.length > 0) return record;
  // a node of release 0.1.0 ends a recovery without removing what was lacking
  const own = record.status === "recovery" ? (recovery ?? { lacks: "" }) : undefined;
  if (own === undefined && shard.recovery === undefined) return record;
  return { ...record, shards: [withRecovery(shard, own)] };
}

/** The record as it is stored, with its format: for nodes of this release, and for those before unless its shards have slots. */
export function toStored(record: DatabaseRecord): StoredDatabase {
  const format = hasSlots(record) ? SLOTS_FORMAT : FORMAT;
  const [shard, ...others] = record.shards;
  if (shard?.recovery === undefined || others.length > 0) return { ...record, format };
  return { ...record, format, shards: [withRecovery(shard, undefined)], recovery: shard.recovery };
}

function withRecovery({ recovery: _former, ...shard }: ShardRecord, recovery: ShardRecovery | undefined): ShardRecord {
  return recovery === undefined ? shard : { ...shard, recovery };
}
