import type { DatabaseRecord, InstanceRecord, ShardRecord, ShardRecovery } from "../api/records.ts";
import { isBeingMade, shardName } from "../planner/database/facts.ts";
import type { InstanceFacts } from "../planner/database/facts.ts";
import { withLoss, withShard } from "./changes.ts";

// How a shard of a record goes into recovery, and comes out of it. What a user agrees to is of one shard, and so is what it allows.

/** The record that allows one more start as primary, with what that may have cost. */
export function withRelaunch(
  record: DatabaseRecord,
  { shard, instance }: { readonly shard: number; readonly instance: number },
  end: Pick<InstanceFacts, "usedLaunch" | "endedCleanly"> | undefined,
  now: string,
): DatabaseRecord {
  const next = withShard(record, shard, (old) => launchedOnce(old, instance, end?.usedLaunch));
  const cost = costOfRestart(record, end?.endedCleanly === true);
  const returning = inRecovery(next, shard);
  if (cost === undefined) return returning;
  const name = shardName(record, shard);
  const sentence = `${name} starts again from what its primary kept; ${cost}`;
  const last = record.lossReports.findLast((report) => report.includes(name));
  // one outage, however often it is tried
  const isSaid = recoveryOf(record, shard) !== undefined && last?.endsWith(sentence) === true;
  return isSaid ? returning : withLoss(returning, `${now}: ${sentence}`);
}

/** The record that lets the primary of a shard start in an empty data directory, with what that costs. */
export function withEmptyStart(record: DatabaseRecord, shard: number, instance: number, now: string): DatabaseRecord {
  const next = inRecovery(
    withShard(record, shard, (old) => launchedOnce(old, instance)),
    shard,
  );
  const recovery = recoveryOf(next, shard);
  if (recovery === undefined) return next;
  const what = record.persistence === "disabled" ? "without persistence" : "the volume of its primary is gone";
  return withLoss(
    withRecovery(next, shard, { ...recovery, empty: true }),
    `${now}: ${shardName(record, shard)} starts empty: ${what}, and no replica has another copy`,
  );
}

/** The record with a shard whose primary is an instance that a node has set aside; the other copies of the shard are made from it. */
export function withAdopted(
  record: DatabaseRecord,
  shard: number,
  instance: InstanceRecord,
  now: string,
): DatabaseRecord {
  const adopt = ({ inSync: _void, switchover: _over, ...old }: ShardRecord): ShardRecord => ({
    ...old,
    epoch: old.epoch + 1,
    primary: instance.id,
    instances: [...old.instances.filter(({ id }) => id !== instance.id), instance],
    recovery: { lacks: "" },
  });
  const nextInstance = Math.max(record.nextInstance, instance.id + 1);
  const sentence = `${now}: ${shardName(record, shard)} comes back from what node ${instance.node} had set aside`;
  return withLoss({ ...withShard(record, shard, adopt), nextInstance }, sentence);
}

/** The record of a database whose shards have the data that they waited for: each starts from them. */
export function withRestored(record: DatabaseRecord): DatabaseRecord {
  const shards = record.shards.map((shard) => {
    if (shard.recovery?.awaited !== true) return shard;
    const started = launchedOnce(shard, shard.primary);
    return { ...started, recovery: { lacks: "" } };
  });
  return { ...record, shards };
}

/** The record of a database with a shard that waits until a user agrees to its coming back without what is gone. */
export function withLack(record: DatabaseRecord, shard: number, lacks: string): DatabaseRecord {
  const next = inRecovery(record, shard);
  return recoveryOf(next, shard) === undefined ? record : withRecovery(next, shard, { lacks });
}

/** The record in which a user has agreed to what these shards lack; a shard that lacks something else by now is asked about anew. */
export function withConsent(record: DatabaseRecord, agreed: readonly ShardRecord[]): DatabaseRecord {
  return lackingAsSeen(record, agreed).reduce(
    (next, { id, recovery }) => withRecovery(next, id, { lacks: "", ...recovery, consent: true }),
    record,
  );
}

/** The record in which these shards wait for the data of a backup instead of what they lack; a shard that lacks something else by now stays as it is. */
export function withAwaited(record: DatabaseRecord, lacking: readonly ShardRecord[]): DatabaseRecord {
  return lackingAsSeen(record, lacking).reduce(
    (next, { id, recovery }) => withRecovery(next, id, { lacks: "", ...recovery, awaited: true }),
    record,
  );
}

function lackingAsSeen({ shards }: DatabaseRecord, seen: readonly ShardRecord[]): readonly ShardRecord[] {
  return shards.filter(
    (shard) =>
      lacksConsent(shard) &&
      seen.some(({ id, recovery }) => id === shard.id && recovery?.lacks === shard.recovery?.lacks),
  );
}

/** The shard waits for a user to agree to what it lacks. */
export function lacksConsent({ recovery }: ShardRecord): boolean {
  return recovery !== undefined && recovery.lacks !== "" && recovery.consent !== true;
}

/** The loss that users are shown for a database in recovery: the one that they are asked about, or else all that is gone. */
export function lacksText({ shards }: DatabaseRecord): string {
  const asked = shards.filter(lacksConsent);
  const shown = asked.length > 0 ? asked : shards;
  return shown
    .map(({ recovery }) => recovery?.lacks ?? "")
    .filter((lacks) => lacks !== "")
    .join("; ");
}

/** The primary of a shard serves again. With the last shard in recovery the database is back, and a change that had begun goes on. */
export function withRecovered(record: DatabaseRecord, shard: number, now: string): DatabaseRecord {
  const next = withShard(record, shard, ({ recovery: _over, ...old }) => old);
  if (next.shards.some(({ recovery }) => recovery !== undefined)) return next;
  const { waitingFor: _reason, obstacle: _former, ...rest } = next;
  const isChanging = record.upgrade !== undefined || record.lastAction?.status === "running";
  return { ...rest, status: isChanging ? "active-change-pending" : "active", lastChangedTime: now };
}

/** A new database has nothing yet that could be recovered, and one that is deleted needs nothing. */
function inRecovery(record: DatabaseRecord, shard: number): DatabaseRecord {
  const { status } = record;
  if (recoveryOf(record, shard) !== undefined) return record;
  if (status !== "active" && status !== "active-change-pending" && status !== "recovery") return record;
  return { ...withRecovery(record, shard, { lacks: "" }), status: "recovery" };
}

function withRecovery(record: DatabaseRecord, shard: number, recovery: ShardRecovery): DatabaseRecord {
  return withShard(record, shard, (old) => ({ ...old, recovery }));
}

function recoveryOf({ shards }: DatabaseRecord, shard: number): ShardRecovery | undefined {
  return shards.find(({ id }) => id === shard)?.recovery;
}

function launchedOnce(shard: ShardRecord, instance: number, used = 0): ShardRecord {
  return {
    ...shard,
    instances: shard.instances.map((one) =>
      one.id === instance ? { ...one, launch: Math.max(one.launch, used) + 1 } : one,
    ),
  };
}

/** An engine that is asked to end writes what it keeps to disk first. */
function costOfRestart(record: DatabaseRecord, endedCleanly: boolean): string | undefined {
  const { persistence } = record;
  if (isBeingMade(record)) return undefined;
  if (persistence === "disabled") return "without persistence and a replica that ran on, its data is gone";
  if (endedCleanly) return undefined;
  switch (persistence) {
    case "aofAlways":
      return undefined;
    case "aofEverySecond":
      return "acknowledged writes of its last second may be missing";
    case "snapshotEvery1Hour":
    case "snapshotEvery6Hour":
    case "snapshotEvery12Hour":
      return "acknowledged writes since its last snapshot may be missing";
  }
}
