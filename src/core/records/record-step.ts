import type { DatabaseRecord } from "../api/records.ts";
import { assertNever } from "#kit/base/assert-never";
import type { InstanceFacts } from "../planner/database/facts.ts";
import type { LeaderAct } from "../planner/database/step.ts";
import {
  withActive,
  withEngineAccess,
  withFailedCreation,
  withReplica,
  withSitesAwaited,
  withUpgradeFinished,
  withoutReplica,
} from "./changes.ts";
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
    case "activate":
      return (old) => withActive(old, now);
    case "close-engines":
      return (old) => withEngineAccess(old, "closed", now);
    default:
      return assertNever(step);
  }
}
