import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import { homeOf } from "../../../core/api/database-home.ts";
import { versionOfDatabase } from "../../../core/api/older-status.ts";
import { parametersIn } from "../../../core/api/settings/engine-parameters.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { ActionRecord, BdbRecord, ShardInstanceRecord } from "../../../ports/management/records.ts";
import { block, sentenceOf, warn } from "../../../core/planner/findings/finding.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import type { Suspension } from "../../../core/planner/cluster/plan.ts";
import {
  describeAct,
  type DatabaseAct,
  type DatabaseDecision,
  type Drift,
} from "../../../core/planner/database/plan.ts";
import { expiryOf } from "../../../ports/pki/authority.ts";
import { withStatements } from "../objects/conditions.ts";
import { available, serviceFindings, withoutService } from "./availability.ts";
import type { DatabaseFailure } from "./failure.ts";
import type { Unready } from "../context/cluster-context.ts";

/** What a pass over a database knows in the end. */
export interface DatabaseReport {
  readonly generation: number;
  readonly before: DatabaseStatus;
  readonly cluster: string;
  readonly secretName: string;
  readonly passwordFrom: DatabaseStatus["passwordFrom"];
  readonly bdb: BdbRecord | undefined;
  readonly authorityDigest: DatabaseStatus["authorityDigest"];
  /** Of the whole cluster. */
  readonly shards: readonly ShardInstanceRecord[];
  readonly actions: readonly ActionRecord[];
  readonly suspension: Suspension | undefined;
  readonly decision: DatabaseDecision | undefined;
  /** Why the cluster cannot be asked; undefined when it can. */
  readonly unready: Unready | undefined;
  /** Why the last act came to nothing. */
  readonly failure: DatabaseFailure | undefined;
}

/** The status that a pass leaves behind: the cluster's word about the database, and ours about its object. */
export function databaseStatusOf(report: DatabaseReport, now: Date): DatabaseStatus {
  const { before, bdb, decision } = report;
  const { unready, failure } = report;
  const invalid =
    (decision?.findings.length ?? 0) > 0 ||
    decision?.drift?.reason === "DowngradeRefused" ||
    unready?.id === "ClusterNotFound" ||
    failure?.id === "SpecInvalid" ||
    failure?.id === "NameTaken";
  const conditions = withStatements(before.conditions, statements(report), now);
  return {
    ...before,
    cluster: homeOf(before) ?? report.cluster,
    databaseSecretName: report.secretName,
    authorityDigest: report.authorityDigest,
    ...(report.passwordFrom === undefined ? {} : { passwordFrom: report.passwordFrom }),
    status: stateOf(report),
    creating: isCreating(report) ? true : undefined,
    ...(decision === undefined && !invalid ? {} : { specStatus: invalid ? "Invalid" : "Valid" }),
    ...(bdb === undefined ? {} : mirrored(bdb, report)),
    ...(isHandled(report) ? { observedGeneration: report.generation } : {}),
    findings: [...findingsOf(report), ...serviceFindings(bdb, { cluster: report.cluster, conditions }, now)],
    conditions,
  };
}

/** The cluster may make it still, or has made it and does not show it yet. */
function isCreating({ before, bdb, failure }: DatabaseReport): boolean {
  const isRefused = failure?.id === "RefusedByCluster" || failure?.id === "NameTaken";
  return before.creating === true && bdb === undefined && !isRefused;
}

/** A database that the cluster refuses to make is asked for again, and is pending as soon as it is not refused. */
function stateOf({ before, bdb, failure }: DatabaseReport): NonNullable<DatabaseStatus["status"]> {
  if (bdb !== undefined) return bdb.status;
  if (homeOf(before) === undefined && (failure?.id === "RefusedByCluster" || failure?.id === "NameTaken"))
    return "creation-failed";
  return before.status === "creation-failed" ? "pending" : (before.status ?? "pending");
}

/** Whether the spec has been turned into calls: nothing is left to be asked of the cluster. */
function isHandled({ suspension, decision, failure }: DatabaseReport): boolean {
  return suspension === undefined && failure === undefined && decision !== undefined && decision.act.kind === "none";
}

function mirrored(bdb: BdbRecord, { before, shards, actions }: DatabaseReport): Partial<DatabaseStatus> {
  const primaries = shards.filter(({ bdb_uid, role }) => bdb_uid === bdb.uid && role === "master");
  const last = actions.find(({ action_uid }) => action_uid === bdb.action_uid);
  return {
    databaseUID: String(bdb.uid),
    storeVersion: bdb.redis_version,
    ...servingOf(bdb, primaries[0], before),
    internalEndpoints: bdb.endpoints.map(({ dns_name, port }) => ({ host: dns_name, port })),
    shardStatuses: shardsByStatus(primaries),
    certificateValidTo: validTo(bdb),
    clientParameters: clientParametersOf(bdb),
    createdTime: bdb.created_time,
    lastUpdated: bdb.last_changed_time,
    ...(bdb.action_uid === "" ? {} : { lastActionUid: bdb.action_uid }),
    ...(last === undefined ? {} : { lastActionStatus: last.status }),
    lossReports: [...bdb.loss_reports],
  };
}

/** Undefined takes it out of the status. */
function clientParametersOf({ client_parameters: text = "" }: BdbRecord): DatabaseStatus["clientParameters"] {
  return text === "" ? undefined : Object.fromEntries(parametersIn(text));
}

function validTo({ tls_mode = "disabled", tls_certificate: shown }: BdbRecord): string | undefined {
  return tls_mode === "disabled" || shown === undefined ? undefined : expiryOf(shown.certificate).toISOString();
}

type Serving = Pick<DatabaseStatus, "version" | "engine" | "standIn">;

/** An engine that does not answer reports nothing: its last report stays, unless it was of another database version. */
function servingOf(bdb: BdbRecord, primary: ShardInstanceRecord | undefined, before: DatabaseStatus): Serving {
  if (bdb.version === "") {
    const isKept = before.version === undefined || versionOfDatabase(before) === bdb.redis_version;
    return isKept ? {} : { version: bdb.redis_version, engine: undefined, standIn: undefined };
  }
  // the answer about shards may be of a moment before or after
  const engine = primary?.engine || (before.version === bdb.version_display ? before.engine : undefined);
  return { version: bdb.version_display, engine, standIn: bdb.stand_in };
}

/** While management is suspended nothing is checked: what was found before stays. */
function findingsOf({ before, suspension, decision, unready, failure }: DatabaseReport): Finding[] {
  if (suspension !== undefined) return withoutService(before.findings);
  return [
    unready,
    ...(decision?.findings ?? []),
    failure,
    ...(decision?.warnings ?? []),
    driftFinding(decision?.drift),
  ].filter((finding) => finding !== undefined);
}

function driftFinding(drift: Drift | undefined): Finding | undefined {
  if (drift === undefined) return undefined;
  const { reason: id, evidence, remedy } = drift;
  return id === "DowngradeRefused" ? block(id, evidence, remedy) : warn(id, evidence, remedy);
}

function shardsByStatus(primaries: readonly ShardInstanceRecord[]): Record<string, number> {
  const counts = Map.groupBy(primaries, ({ status, detailed_status }) =>
    status === "active" ? status : detailed_status,
  );
  return Object.fromEntries([...counts].map(([status, shards]) => [status, shards.length]));
}

function statements(report: DatabaseReport): readonly Statement[] {
  const { generation, suspension, decision, before } = report;
  // an edit that waits has not been looked at, and `kubectl wait --for=condition=Ready` shall wait for it
  const looked = suspension === undefined ? generation : (before.observedGeneration ?? 0);
  return [
    { ...ready(report), observedGeneration: looked },
    { ...suspended(suspension), observedGeneration: generation },
    ...available(report.bdb).map((statement) => ({ ...statement, observedGeneration: generation })),
    ...(decision === undefined ? [] : [{ ...drifted(decision), observedGeneration: generation }]),
  ];
}

function ready({ bdb, decision, failure, unready, actions }: DatabaseReport): Statement {
  const say = (status: "True" | "False", reason: string, message: string): Statement => ({
    type: "Ready",
    status,
    reason,
    message,
  });
  if (unready !== undefined) return say("False", unready.id, sentenceOf(unready));
  const finding = decision?.findings[0];
  const serves = bdb?.status === "active" && bdb.version !== "" ? "True" : "False";
  if (finding !== undefined) return say(serves, finding.id, sentenceOf(finding));
  if (failure !== undefined) return say(serves, failure.id, sentenceOf(failure));
  if (bdb === undefined) return say("False", "NotCreated", "the cluster does not have the database yet");
  if (bdb.waiting_for !== "") return say(serves, serves === "True" ? "Recovering" : "Waiting", bdb.waiting_for);
  const act: DatabaseAct = decision?.act ?? { kind: "none" };
  if (act.kind !== "none") return say("False", "Changing", describeAct(act));
  return bdb.status === "active"
    ? say(serves, "Active", serves === "True" ? `serves version ${bdb.version_display}` : "the engine is starting")
    : say("False", "Changing", changeOf(bdb, actions));
}

const CHANGES: Readonly<Record<string, string>> = {
  create_bdb: "the database is being made",
  update_bdb: "the new settings are being taken",
  upgrade_bdb: "the database is being upgraded",
  delete_bdb: "the database is being deleted",
};

/** What the cluster is at, and how far. */
function changeOf(bdb: BdbRecord, actions: readonly ActionRecord[]): string {
  const action = actions.find(({ action_uid }) => action_uid === bdb.action_uid);
  const doing = CHANGES[action?.name ?? ""] ?? `the database is ${bdb.status}`;
  const { progress = 0 } = action ?? {};
  return progress > 0 && progress < 100 ? `${doing}, ${progress} % done` : doing;
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

function drifted(decision: DatabaseDecision): Statement {
  const drift = driftFinding(decision.drift);
  return drift === undefined
    ? { type: "Drifted", status: "False", reason: "AsWritten", message: "the database is what its object says" }
    : { type: "Drifted", status: "True", reason: drift.id, message: sentenceOf(drift) };
}
