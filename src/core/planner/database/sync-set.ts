import type { SyncState } from "../../api/states.ts";
import type { DatabaseRecord, InSyncSet, InstanceRecord, ShardRecord } from "../../api/records.ts";
import { inSyncMembers, presentMembers, withSet } from "./in-sync.ts";
import type { PrimarySample } from "./in-sync.ts";

/** True for a database whose replies wait for replicas: it asks for that, has replicas, and every node can do it. */
export function waitsForReplicas(
  { durability, replication }: Pick<DatabaseRecord, "durability" | "replication">,
  everyNodeCan: boolean,
): boolean {
  return durability === "sync" && replication && everyNodeCan;
}

/** What replies wait for; undefined of a database with `durability: async`. */
export function syncState(record: DatabaseRecord): SyncState | undefined {
  const states = record.shards.map((shard) => stateOfShard(record, shard));
  return WORST_FIRST.find((state) => states.includes(state));
}

const WORST_FIRST: readonly SyncState[] = ["starting", "withheld", "degraded", "in-sync"];

function stateOfShard(
  { durability, withoutInSync }: Pick<DatabaseRecord, "durability" | "withoutInSync">,
  shard: ShardRecord,
): SyncState | undefined {
  if (durability !== "sync") return undefined;
  const { inSync, epoch } = shard;
  if (inSync?.epoch === epoch && inSync.joining === undefined) return "starting";
  if ((presentMembers(shard) ?? []).length > 0) return "in-sync";
  return withoutInSync === "wait" ? "withheld" : "degraded";
}

/** Why replies of a shard with `durability: sync` do not wait for a replica, or are not given, and what ends that; undefined: they do. */
export function unsafeReplies(record: DatabaseRecord, shard: ShardRecord): string | undefined {
  const state = stateOfShard(record, shard);
  if (state === undefined || state === "in-sync") return undefined;
  return REASONS[state];
}

const REASONS: Readonly<Record<Exclude<SyncState, "in-sync">, string>> = {
  starting:
    "replies do not wait for replicas yet: a node of the cluster is of an older release, or has not confirmed it",
  degraded: "no replica is in sync: replies do not wait, and a crash of the primary may lose acknowledged writes",
  withheld:
    "no replica is in sync, and replies wait for one; set withoutReplica to degrade, or durability to async, to let them pass",
};

/** What the next set of a database whose replies wait for replicas rests on. */
export interface SyncSetFacts {
  /** The set of this epoch; undefined: none was written. */
  readonly written: InSyncSet | undefined;
  /** What the primary has said, newest last. */
  readonly samples: readonly PrimarySample[];
  readonly replicas: readonly Pick<InstanceRecord, "id">[];
  /** When it was known that every proxy waits for those that join `written`, by the clock of the samples; undefined: not yet. */
  readonly confirmedAt: number | undefined;
}

/** Members, and replicas that proxies are to wait for before they are members. */
export interface SyncMembers {
  readonly members: readonly number[];
  readonly joining: readonly number[];
}

/**
 * The next set. Proxies must wait for a replica before it may succeed the primary, or what they acknowledge in between is
 * lost with the primary. So a replica that has caught up joins first. It is a member once every proxy waits for it and it has
 * all that was written when they did. A set that was kept while replies did not wait is confirmed in the same way.
 */
export function nextSyncSet({ written, samples, replicas, confirmedAt }: SyncSetFacts): SyncMembers {
  const old = written?.members ?? [];
  const present = inSyncMembers(samples, old, replicas);
  const members = present.filter((id) => old.includes(id));
  const caughtUp = present.filter((id) => !old.includes(id));
  if (written !== undefined && written.joining === undefined) return { members, joining: [...members, ...caughtUp] };
  const known = (written?.joining ?? []).filter((id) =>
    old.includes(id) ? members.includes(id) : isLinked(samples, id),
  );
  const isReady = (id: number): boolean =>
    confirmedAt !== undefined && (members.includes(id) || hasAllSince(samples, id, confirmedAt));
  const ready = known.filter(isReady);
  return {
    members: [...members, ...ready.filter((id) => !members.includes(id))],
    joining: [...new Set([...known, ...caughtUp])].filter((id) => !ready.includes(id)),
  };
}

/** The record with this set; itself when the primary or the set has changed since the decision, or the primary is about to move. */
export function withSyncSet(record: DatabaseRecord, decidedOn: ShardRecord, next: SyncMembers): DatabaseRecord {
  const stored = record.shards.find(({ id }) => id === decidedOn.id)?.inSync;
  const isSame = JSON.stringify(stored) === JSON.stringify(decidedOn.inSync);
  return isSame ? withSet(record, decidedOn, next) : record;
}

function isLinked(samples: readonly PrimarySample[], id: number): boolean {
  return samples.at(-1)?.replicas.get(id)?.linked === true;
}

/** It has confirmed all that the primary had written at a look after that moment. */
function hasAllSince(samples: readonly PrimarySample[], id: number, moment: number): boolean {
  const after = samples.find(({ at }) => at > moment);
  const seen = samples.at(-1)?.replicas.get(id);
  return after !== undefined && seen !== undefined && seen.linked && seen.offset >= after.offset;
}
