import type { DatabaseAction, DatabaseRecord, InstanceRecord } from "../api/records.ts";
import { assertNever } from "#kit/base/assert-never";
import { portMode, type InstanceFacts } from "../planner/database/facts.ts";
import type { LeaderAct } from "../planner/database/step.ts";
import { withReshapeBegun } from "./begun-reshape.ts";
import { withEngineAccess, withShard, withSitesAwaited } from "./changes.ts";
import { copyAgain, withoutFurtherShards } from "./reshape-record.ts";
import { withEmptyStart, withLack, withRecovered, withRelaunch } from "./recovery-changes.ts";

/** A step that changes the record alone; engines and proxies follow the record. */
export type RecordStep = Extract<
  LeaderAct,
  {
    readonly kind:
      | "relaunch"
      | "start-empty"
      | "await-sites"
      | "ask-consent"
      | "recovered"
      | "creation-failed"
      | "add-replica"
      | "retire"
      | "finish-upgrade"
      | "begin-reshape"
      | "begin-copy"
      | "withdraw-reshape"
      | "retire-shards"
      | "activate"
      | "close-engines";
  }
>;

/** What a step does to the record; `now`: ISO instant. */
export function recordStep(
  step: RecordStep,
  instances: ReadonlyMap<number, InstanceFacts>,
  now: string,
): (old: DatabaseRecord) => DatabaseRecord {
  switch (step.kind) {
    case "relaunch":
      return (old) => withRelaunch(old, step, instances.get(step.instance), now);
    case "start-empty":
      return (old) => withEmptyStart(old, step.shard, step.instance, now);
    case "await-sites":
      return withSitesAwaited;
    case "ask-consent":
      return (old) => withLack(old, step.shard, step.lacks);
    case "recovered":
      return (old) => withRecovered(old, step.shard, now);
    case "creation-failed":
      return (old) => withFailedCreation(old, step.reason, now);
    case "add-replica":
      return (old) =>
        withReplica(old, step.shard, { node: step.node, port: step.port, storeVersion: step.storeVersion });
    case "retire":
      return (old) => withoutReplica(old, step.shard, step.instance);
    case "finish-upgrade":
      return (old) => withUpgradeFinished(old, now);
    case "begin-reshape":
      return (old) => withReshapeBegun(old, step.plan, now);
    case "begin-copy":
      return (old) => copyAgain(old, now, step.failed);
    case "withdraw-reshape":
    case "retire-shards":
      return withoutFurtherShards;
    case "activate":
      return (old) => withActive(old, now);
    case "close-engines":
      return (old) => withEngineAccess(old, "closed", now);
    default:
      return assertNever(step);
  }
}

/** The record with a new replica, not started yet. */
function withReplica(
  record: DatabaseRecord,
  shard: number,
  placed: Pick<InstanceRecord, "node" | "port" | "storeVersion">,
): DatabaseRecord {
  const instance: InstanceRecord = { id: record.nextInstance, launch: 0, ...placed, ...portMode(record) };
  const next = withShard(record, shard, (old) => ({ ...old, instances: [...old.instances, instance] }));
  return { ...next, nextInstance: record.nextInstance + 1 };
}

/** The record without a replica; the primary and the target of a switchover never go. */
function withoutReplica(record: DatabaseRecord, shard: number, instance: number): DatabaseRecord {
  return withShard(record, shard, (old) =>
    old.primary === instance || old.switchover !== undefined
      ? old
      : { ...old, instances: old.instances.filter(({ id }) => id !== instance) },
  );
}

/** The engine of a new database does not get to serve. */
function withFailedCreation(record: DatabaseRecord, error: string, now: string): DatabaseRecord {
  const lastAction = record.lastAction && ({ ...record.lastAction, status: "failed", error } as const);
  return { ...record, status: "creation-failed", lastChangedTime: now, ...(lastAction && { lastAction }) };
}

/** The upgrade is over: every instance has the target version. */
function withUpgradeFinished(record: DatabaseRecord, now: string): DatabaseRecord {
  const { upgrade, waitingFor: _over, obstacle: _former, ...rest } = record;
  if (upgrade === undefined) return record;
  const active = { ...rest, storeVersion: upgrade.target, status: "active", lastChangedTime: now } as const;
  return withActionCompleted(active);
}

/** What was asked for is there. */
function withActive(record: DatabaseRecord, now: string): DatabaseRecord {
  const { waitingFor: _over, obstacle: _former, ...rest } = withCreationResumed(record);
  return withActionCompleted({ ...rest, status: "active", lastChangedTime: now });
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
