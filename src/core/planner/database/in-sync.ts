import type { DatabaseRecord, InSyncSet, InstanceRecord, ShardRecord } from "../../api/records.ts";
import { inSync, primaryOf, replicasOf, syncText } from "./facts.ts";
import type { DatabaseFacts, NodeFacts } from "./facts.ts";

/** What a replica has confirmed to its primary. */
export interface Confirmed {
  /** Its stream flows. */
  readonly linked: boolean;
  readonly offset: number;
}

/** What a primary said at one moment. */
export interface PrimarySample {
  /** In milliseconds of one clock. */
  readonly at: number;
  /** What it had written, in bytes of its stream. */
  readonly offset: number;
  /** By id; absent: it never listed the replica. */
  readonly replicas: ReadonlyMap<number, Confirmed>;
}

/** A linked replica in sync has confirmed all that its primary had written so long ago. Longer than replicas of a busy machine are late. */
export const IN_SYNC_MS = 5_000;

/**
 * The replicas that are in sync by what the primary has said, newest sample last. A replica joins once it has confirmed all
 * that was written at the sample before. It leaves when the primary writes and it is not linked, or when it has not confirmed
 * what was written `IN_SYNC_MS` ago.
 */
export function inSyncMembers(
  samples: readonly PrimarySample[],
  members: readonly number[],
  replicas: readonly Pick<InstanceRecord, "id">[],
): readonly number[] {
  const now = samples.at(-1);
  if (now === undefined) return members;
  const before = samples.at(-2);
  const longAgo = samples.findLast(({ at }) => now.at - at >= IN_SYNC_MS);
  const stays = (id: number): boolean => {
    const seen = now.replicas.get(id);
    if (seen?.linked === true) return longAgo === undefined || seen.offset >= longAgo.offset;
    return seen !== undefined && seen.offset >= now.offset;
  };
  const joins = (id: number): boolean => {
    const seen = now.replicas.get(id);
    return (
      before?.replicas.get(id)?.linked === true && seen !== undefined && seen.linked && seen.offset >= before.offset
    );
  };
  return replicas.map(({ id }) => id).filter((id) => (members.includes(id) ? stays(id) : joins(id)));
}

/** The samples that later decisions need, with a new one. What a replica has confirmed still counts when the primary lists it no longer. */
export function withSample(samples: readonly PrimarySample[], sample: PrimarySample): readonly PrimarySample[] {
  const left = [...(samples.at(-1)?.replicas ?? [])].map(
    ([id, { offset }]) => [id, { linked: false, offset }] as const,
  );
  const all = [...samples, { ...sample, replicas: new Map([...left, ...sample.replicas]) }];
  const first = all.findLastIndex(({ at }) => sample.at - at >= IN_SYNC_MS);
  return all.slice(Math.max(0, first));
}

/**
 * The replicas that may succeed the primary with no loss or a bounded one: the set of the record, while the node of the primary keeps it.
 * Undefined where the set is not known: nodes of releases before 0.4.0 keep none.
 */
export function successorsOf(
  shard: ShardRecord,
  nodes: readonly Pick<NodeFacts, "uid" | "keepsInSync">[],
  durability: DatabaseRecord["durability"],
): readonly number[] | undefined {
  const { node } = primaryOf(shard);
  const isKept = nodes.some(({ uid, keepsInSync }) => uid === node && keepsInSync);
  // before the set of this epoch is written, no reply that waits for it was given; a replica may lack writes of earlier epochs
  const unwritten = durability === "sync" ? [] : undefined;
  return isKept ? (presentMembers(shard) ?? unwritten) : undefined;
}

/** Why the replica could not succeed its primary now without a loss, for people; undefined: it could. */
export function behindText(
  { record, nodes, instances }: Pick<DatabaseFacts, "record" | "nodes" | "instances">,
  shard: ShardRecord,
  replica: InstanceRecord,
): string | undefined {
  const seen = instances.get(replica.id);
  if (!inSync(seen)) return syncText(replica, seen);
  const successors = successorsOf(shard, nodes, record.durability);
  if (successors?.includes(replica.id) !== false) return undefined;
  return `the ${replica.storeVersion} replica on node ${replica.node} has all data; its primary must still confirm this`;
}

/** The next version of a set; none for a set that proxies have never waited for. */
function nextVersion(before: InSyncSet | undefined, counts: boolean): Pick<InSyncSet, "version"> {
  return counts || before?.version !== undefined ? { version: (before?.version ?? 0) + 1 } : {};
}

/** The set of the shard's present epoch, as far as it is still there; undefined when none was written in it. */
export function presentMembers(shard: ShardRecord): readonly number[] | undefined {
  const { inSync: set, epoch } = shard;
  if (set?.epoch !== epoch) return undefined;
  // the stored set may name an instance that is no replica any more: the last one that went, or the primary after a move
  return set.members.filter((member) => replicasOf(shard).some(({ id }) => id === member));
}

/** The replica has every write that was acknowledged to clients: the replies have waited for this replica. */
export function hasEveryReply(shard: ShardRecord | undefined, id: number): boolean {
  if (shard?.inSync?.joining === undefined) return false;
  return presentMembers(shard)?.includes(id) === true && !shard.inSync.joining.includes(id);
}

/** The record with these members; unchanged when the primary has changed or is about to. */
export function withMembers(
  record: DatabaseRecord,
  decidedOn: Pick<ShardRecord, "id" | "epoch">,
  members: readonly number[],
): DatabaseRecord {
  return withSet(record, decidedOn, { members });
}

/** The record with a set whose members proxies wait for; each change of the set gets the next version. */
export function withSet(
  record: DatabaseRecord,
  decidedOn: Pick<ShardRecord, "id" | "epoch">,
  { members, joining }: Pick<InSyncSet, "members" | "joining">,
): DatabaseRecord {
  const change = (shard: ShardRecord): ShardRecord => {
    if (shard.id !== decidedOn.id || shard.epoch !== decidedOn.epoch || shard.switchover !== undefined) return shard;
    const present = replicasOf(shard).map(({ id }) => id);
    const existing = (ids: readonly number[]): readonly number[] => ids.filter((id) => present.includes(id));
    const inSync: InSyncSet = {
      epoch: shard.epoch,
      members: existing(members),
      ...(joining === undefined ? {} : { joining: existing(joining) }),
      ...nextVersion(shard.inSync, joining !== undefined),
    };
    return { ...shard, inSync };
  };
  return { ...record, shards: record.shards.map(change) };
}
