import type {
  DatabaseAction,
  DatabaseRecord,
  EngineRotation,
  InstanceRecord,
  PasswordsState,
  ShardRecord,
} from "../api/records.ts";
import type { Finding } from "../api/parts.ts";
import { portMode } from "../planner/database/facts.ts";

// How a step of the leader changes a record. Each returns the record itself when the step no longer fits it.

/** The record with a new replica, not started yet. */
export function withReplica(
  record: DatabaseRecord,
  shard: number,
  placed: Pick<InstanceRecord, "node" | "port" | "storeVersion">,
): DatabaseRecord {
  const instance: InstanceRecord = { id: record.nextInstance, launch: 0, ...placed, ...portMode(record) };
  const next = withShard(record, shard, (old) => ({ ...old, instances: [...old.instances, instance] }));
  return { ...next, nextInstance: record.nextInstance + 1 };
}

/** The record without a replica; the primary and the target of a switchover never go. */
export function withoutReplica(record: DatabaseRecord, shard: number, instance: number): DatabaseRecord {
  return withShard(record, shard, (old) =>
    old.primary === instance || old.switchover !== undefined
      ? old
      : { ...old, instances: old.instances.filter(({ id }) => id !== instance) },
  );
}

/** The record of a site whose clients wait for what the other sites hold. */
export function withSitesAwaited(record: DatabaseRecord): DatabaseRecord {
  return { ...record, awaitsSites: true };
}

/** The record of a site that has what the other sites hold. */
export function withSitesJoined({ awaitsSites: _over, ...rest }: DatabaseRecord): DatabaseRecord {
  return rest;
}

/** The engine of a new database does not get to serve. */
export function withFailedCreation(record: DatabaseRecord, error: string, now: string): DatabaseRecord {
  const lastAction = record.lastAction && ({ ...record.lastAction, status: "failed", error } as const);
  return { ...record, status: "creation-failed", lastChangedTime: now, ...(lastAction && { lastAction }) };
}

/** The record with one more sentence about what a crash may have cost. */
export function withLoss(record: DatabaseRecord, sentence: string): DatabaseRecord {
  return { ...record, lossReports: [...record.lossReports, sentence].slice(-10) };
}

/** The upgrade is over: every instance has the target version. */
export function withUpgradeFinished(record: DatabaseRecord, now: string): DatabaseRecord {
  const { upgrade, waitingFor: _over, obstacle: _former, ...rest } = record;
  if (upgrade === undefined) return record;
  const active = { ...rest, storeVersion: upgrade.target, status: "active", lastChangedTime: now } as const;
  return withActionCompleted(active);
}

/** What was asked for is there. */
export function withActive(record: DatabaseRecord, now: string): DatabaseRecord {
  const { waitingFor: _over, obstacle: _former, ...rest } = withCreationResumed(record);
  return withActionCompleted({ ...rest, status: "active", lastChangedTime: now });
}

/** The record that makes each node read the passwords again. */
export function withPasswords(
  record: DatabaseRecord,
  revision: number,
  overlapUntil: string | undefined,
  now: string,
): DatabaseRecord {
  const { overlapUntil: _before, ...others } = record.passwords ?? {};
  const passwords = { ...others, revision, ...(overlapUntil === undefined ? {} : { overlapUntil }) };
  // nodes of release 0.1.0 read them again because of the time
  return { ...record, passwords, lastChangedTime: now };
}

/** The record that makes each node read the Secret again, and its engines let in those. */
export function withEngineAccess(
  record: DatabaseRecord,
  engines: NonNullable<PasswordsState["engines"]>,
  now: string,
): DatabaseRecord {
  return { ...record, passwords: { revision: 0, ...record.passwords, engines }, lastChangedTime: now };
}

/** The record that makes each node read the Secret again, because the password of the cluster at engines changes. */
export function withEngineRotation(record: DatabaseRecord, rotation: EngineRotation, now: string): DatabaseRecord {
  return { ...record, passwords: { revision: 0, ...record.passwords, rotation }, lastChangedTime: now };
}

/** Why nothing moves at the moment, empty when something does; with the finding that a user must clear, which ends with its reason. */
export function withWaitReason(record: DatabaseRecord, reason: string, found?: Finding): DatabaseRecord {
  const { waitingFor: _before, obstacle: _former, ...others } = record;
  const rest = found === undefined ? others : { ...others, obstacle: found };
  if (rest.upgrade !== undefined) return { ...rest, upgrade: { ...rest.upgrade, waitingFor: reason } };
  return reason === "" ? rest : { ...rest, waitingFor: reason };
}

export function withProgress(record: DatabaseRecord, progress: number): DatabaseRecord {
  const action = record.lastAction;
  if (action === undefined || action.status !== "running" || action.progress >= progress) return record;
  return { ...record, lastAction: { ...action, progress } };
}

/** Everything but why it waits and how far it is: two records alike in this allow the same step. */
export function substance(record: DatabaseRecord): string {
  const { waitingFor: _reason, lastAction: _action, ...rest } = withWaitReason(record, "");
  return JSON.stringify(rest);
}

function withActionCompleted(record: DatabaseRecord): DatabaseRecord {
  if (record.lastAction?.status !== "running") return record;
  const lastAction: DatabaseAction = { ...record.lastAction, status: "completed", progress: 100 };
  return { ...record, lastAction };
}

/** Its creation goes on, however often it has failed. */
function withCreationResumed(record: DatabaseRecord): DatabaseRecord {
  if (record.status !== "creation-failed" || record.lastAction === undefined) return record;
  const { error: _before, ...action } = record.lastAction;
  return { ...record, lastAction: { ...action, status: "running" } };
}

/** The record with another state of one of its shards. */
export function withShard(
  record: DatabaseRecord,
  shard: number,
  change: (old: ShardRecord) => ShardRecord,
): DatabaseRecord {
  return { ...record, shards: record.shards.map((old) => (old.id === shard ? change(old) : old)) };
}
