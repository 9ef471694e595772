import type { DatabaseStatus } from "../api/database-status.ts";
import type { ActionRecord, BdbRecord } from "../management/records.ts";
import { sentenceOf, type Statement } from "../planner/cluster-conditions.ts";
import type { Suspension } from "../planner/cluster.ts";
import { describeAct, type DatabaseAct, type DatabaseDecision } from "../planner/spec-database.ts";
import { stamped } from "./cluster-status.ts";

/** What a pass over a database knows in the end. */
export interface DatabaseReport {
  readonly generation: number;
  readonly before: DatabaseStatus;
  readonly cluster: string;
  readonly secretName: string;
  readonly bdb: BdbRecord | undefined;
  readonly actions: readonly ActionRecord[];
  readonly suspension: Suspension | undefined;
  readonly decision: DatabaseDecision | undefined;
  /** Why the cluster cannot be asked; undefined when it can. */
  readonly unready: string | undefined;
  /** Why the last act came to nothing. */
  readonly failure: string | undefined;
}

/** The status that a pass leaves behind: the cluster's word about the database, and ours about its object. */
export function databaseStatusOf(report: DatabaseReport, now: Date): DatabaseStatus {
  const { before, bdb, decision } = report;
  const invalid = (decision?.findings.length ?? 0) > 0 || decision?.drift?.reason === "DowngradeRefused";
  return {
    ...before,
    cluster: report.cluster,
    databaseSecretName: report.secretName,
    status: bdb?.status ?? before.status ?? "pending",
    ...(decision === undefined ? {} : { specStatus: invalid ? "Invalid" : "Valid" }),
    ...(bdb === undefined ? {} : mirrored(bdb, report.actions)),
    ...(isHandled(report) ? { observedGeneration: report.generation } : {}),
    conditions: stamped(before.conditions, statements(report), now),
  };
}

/** Whether the spec has been turned into calls: nothing is left to be asked of the cluster. */
function isHandled({ suspension, decision, failure }: DatabaseReport): boolean {
  return suspension === undefined && failure === undefined && decision !== undefined && decision.act.kind === "none";
}

function mirrored(bdb: BdbRecord, actions: readonly ActionRecord[]): Partial<DatabaseStatus> {
  const last = actions.find(({ action_uid }) => action_uid === bdb.action_uid);
  return {
    databaseUID: String(bdb.uid),
    ...(bdb.version_display === "" ? {} : { version: bdb.version_display }),
    internalEndpoints: bdb.endpoints.map(({ dns_name, port }) => ({ host: dns_name, port })),
    shardStatuses: shardsByStatus(bdb),
    createdTime: bdb.created_time,
    lastUpdated: bdb.last_changed_time,
    ...(bdb.action_uid === "" ? {} : { lastActionUid: bdb.action_uid }),
    ...(last === undefined ? {} : { lastActionStatus: last.status }),
    lossReports: [...bdb.loss_reports],
  };
}

function shardsByStatus({ shard_list }: BdbRecord): Record<string, number> {
  const primaries = shard_list.filter(({ role }) => role === "primary");
  const counts = Map.groupBy(primaries, ({ status }) => status);
  return Object.fromEntries([...counts].map(([status, shards]) => [status, shards.length]));
}

function statements(report: DatabaseReport): readonly Statement[] {
  return [
    ready(report),
    suspended(report.suspension),
    ...(report.decision === undefined ? [] : [drifted(report.decision)]),
  ].map((statement) => ({ ...statement, observedGeneration: report.generation }));
}

function ready({ bdb, decision, failure, unready }: DatabaseReport): Statement {
  const say = (status: "True" | "False", reason: string, message: string): Statement => ({
    type: "Ready",
    status,
    reason,
    message,
  });
  if (unready !== undefined) return say("False", "ClusterNotReady", unready);
  const finding = decision?.findings[0];
  if (finding !== undefined) return say(bdb?.status === "active" ? "True" : "False", finding.id, sentenceOf(finding));
  if (failure !== undefined) return say("False", "CallFailed", failure);
  if (bdb === undefined) return say("False", "NotCreated", "the cluster does not have the database yet");
  if (bdb.waiting_for !== "") return say("False", "Waiting", bdb.waiting_for);
  const act: DatabaseAct = decision?.act ?? { kind: "none" };
  if (act.kind !== "none") return say("False", "Changing", describeAct(act));
  return bdb.status === "active"
    ? say("True", "Active", `serves at ${bdb.version_display}`)
    : say("False", "Changing", `the database is ${bdb.status}`);
}

function suspended(suspension: Suspension | undefined): Statement {
  return suspension === undefined
    ? { type: "ReconcileSuspended", status: "False", reason: "Managed", message: "edits are applied" }
    : {
        type: "ReconcileSuspended",
        status: "True",
        reason: suspension.reason,
        message: `edits wait in order until the cluster is upgraded: ${suspension.message}`,
      };
}

function drifted({ drift }: DatabaseDecision): Statement {
  return drift === undefined
    ? { type: "Drifted", status: "False", reason: "AsWritten", message: "the database is what its object says" }
    : { type: "Drifted", status: "True", reason: drift.reason, message: drift.message };
}
