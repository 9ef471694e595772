import type { DatabaseRecord, EngineRotation, PasswordsState, ShardRecord } from "../api/records.ts";
import type { Finding } from "../api/parts.ts";

// How a step of the leader changes a record. Each returns the record itself when the step no longer fits it.

/** The record of a site whose clients wait for what the other sites hold. */
export function withSitesAwaited(record: DatabaseRecord): DatabaseRecord {
  return { ...record, awaitsSites: true };
}

/** The record of a site that has what the other sites hold. */
export function withSitesJoined({ awaitsSites: _over, sitesJoined: _joined, ...rest }: DatabaseRecord): DatabaseRecord {
  return rest;
}

/** The record with one more sentence about what a crash may have cost; the oldest go first. */
export function withLoss(record: DatabaseRecord, sentence: string): DatabaseRecord {
  // one crash may cost each shard something
  const most = KEPT_LOSSES + record.shards.length - 1;
  return { ...record, lossReports: [...record.lossReports, sentence].slice(-most) };
}

/** How many sentences a database of one shard keeps. */
const KEPT_LOSSES = 10;

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

/** The record with another state of one of its shards. */
export function withShard(
  record: DatabaseRecord,
  shard: number,
  change: (old: ShardRecord) => ShardRecord,
): DatabaseRecord {
  return { ...record, shards: record.shards.map((old) => (old.id === shard ? change(old) : old)) };
}
