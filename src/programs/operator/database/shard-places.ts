import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import type { BdbRecord, ShardInstanceRecord } from "../../../ports/management/records.ts";

type ShardPlace = NonNullable<DatabaseStatus["shards"]>[number];

/**
 * The shards of a database as its status has them, in the order of their slots. Only what changes seldom: each change is a write of the object. A
 * shard whose primary is not among the answers is left out.
 */
export function shardPlaces(bdb: Pick<BdbRecord, "uid">, all: readonly ShardInstanceRecord[]): ShardPlace[] {
  // nodes of older releases do not say of which shard an engine is; each shard has slots that no other has
  const own = Map.groupBy(
    all.filter(({ bdb_uid }) => bdb_uid === bdb.uid),
    ({ assigned_slots }) => assigned_slots,
  );
  return [...own.values()].flatMap(placeOf).toSorted((one, other) => firstSlot(one) - firstSlot(other));
}

function placeOf(engines: readonly ShardInstanceRecord[]): readonly ShardPlace[] {
  const primary = engines.find(({ role }) => role === "master");
  if (primary === undefined) return [];
  const { shard: id = 1, epoch, assigned_slots: slots, redis_version, node_uid, detailed_status } = primary;
  const replicas = engines.filter(({ role }) => role === "slave").map((replica) => Number(replica.node_uid));
  return [
    {
      id,
      slots,
      epoch,
      storeVersion: redis_version,
      state: detailed_status === "ok" ? "active" : detailed_status,
      primary: Number(node_uid),
      replicas: replicas.toSorted((one, other) => one - other),
    },
  ];
}

function firstSlot({ slots }: ShardPlace): number {
  return Number.parseInt(slots, 10);
}
