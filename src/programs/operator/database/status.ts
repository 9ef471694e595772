import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import { homeOf } from "../../../core/api/database-home.ts";
import { versionOfDatabase } from "../../../core/api/older-status.ts";
import { parametersIn } from "../../../core/api/settings/engine-parameters.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { BdbRecord, ShardInstanceRecord } from "../../../ports/management/records.ts";
import { expiryOf } from "#kit/pki/authority";
import { timestamp } from "#kit/kube/timestamp";
import { withStatements } from "../objects/conditions.ts";
import { serviceFindings, withoutService } from "./availability.ts";
import { readyConditions, serviceConditions } from "./conditions.ts";
import type { DatabaseReport } from "./database-report.ts";
import { engineFindings } from "./engine-failures.ts";
import { shardPlaces } from "./shard-places.ts";
import { lostAnswer, type LostAnswer } from "./lost-answer.ts";

/** The status that a pass leaves behind: the cluster's word about the database, and ours about its object. */
export function databaseStatusOf(report: DatabaseReport, now: Date): DatabaseStatus {
  const { before, bdb } = report;
  const isKnown = isAnswered(report) || before.databaseUID === undefined;
  const unansweredSince = isKnown ? undefined : (before.unansweredSince ?? timestamp(now));
  const lost = bdb === undefined ? lostAnswer({ ...before, unansweredSince }, whyOf(report), now) : undefined;
  const service = withStatements(before.conditions, serviceConditions(report, lost), now);
  const findings = [
    ...findingsOf(report),
    ...serviceFindings(bdb, { copies: [], ...report, conditions: service }, now),
    ...engineFindings(bdb, report.shards, report.cluster),
    ...report.ofSchedule,
  ];
  return {
    ...before,
    cluster: homeOf(before) ?? report.cluster,
    databaseSecretName: report.secretName,
    authorityDigest: report.authorityDigest,
    ...(report.passwordFrom === undefined ? {} : { passwordFrom: report.passwordFrom }),
    status: stateOf(report, lost),
    unansweredSince,
    creating: isCreating(report) ? true : undefined,
    ...specStatusOf(report),
    ...(bdb === undefined ? {} : statusOfBdb(bdb, report)),
    ...(isHandled(report) ? { observedGeneration: report.generation } : {}),
    findings,
    conditions: withStatements(service, readyConditions(report, findings), now),
  };
}

/** Without a decision nothing is known of a spec that nothing objects to. */
function specStatusOf({ decision, unready, failure }: DatabaseReport): Pick<DatabaseStatus, "specStatus"> {
  const isInvalid =
    (decision?.findings.length ?? 0) > 0 ||
    decision?.drift?.id === "DowngradeRefused" ||
    unready?.id === "ClusterNotFound" ||
    failure?.id === "SpecInvalid" ||
    failure?.id === "NameTaken";
  if (isInvalid) return { specStatus: "Invalid" };
  return decision === undefined ? {} : { specStatus: "Valid" };
}

/** The cluster said how its databases are, and whether this one is among them. */
function isAnswered({ bdb, isPolled, unready }: DatabaseReport): boolean {
  return bdb !== undefined || (isPolled && unready === undefined);
}

function whyOf({ unready, failure }: DatabaseReport): string {
  return unready?.evidence ?? failure?.evidence ?? "the cluster has not answered";
}

/** The cluster may make it still, or has made it and does not show it yet. */
function isCreating({ before, bdb, failure }: DatabaseReport): boolean {
  const isRefused = failure?.id === "RefusedByCluster" || failure?.id === "NameTaken";
  return before.creating === true && bdb === undefined && !isRefused;
}

/** A database that the cluster refuses to make is asked for again, and is pending as soon as it is not refused. */
function stateOf(
  { before, bdb, failure }: DatabaseReport,
  lost: LostAnswer | undefined,
): NonNullable<DatabaseStatus["status"]> {
  if (bdb !== undefined) return bdb.status;
  if (lost !== undefined) return lost.status === "Unknown" ? "unknown" : "pending";
  if (homeOf(before) === undefined && (failure?.id === "RefusedByCluster" || failure?.id === "NameTaken"))
    return "creation-failed";
  return before.status === "creation-failed" ? "pending" : (before.status ?? "pending");
}

/** Whether the spec has been turned into calls: nothing is left to be asked of the cluster. */
function isHandled({ suspension, decision, failure }: DatabaseReport): boolean {
  return suspension === undefined && failure === undefined && decision !== undefined && decision.step.kind !== "act";
}

function statusOfBdb(bdb: BdbRecord, { before, shards, actions }: DatabaseReport): Partial<DatabaseStatus> {
  const primaries = shards.filter(({ bdb_uid, role }) => bdb_uid === bdb.uid && role === "master");
  const last = actions.find(({ action_uid }) => action_uid === bdb.action_uid);
  return {
    databaseUID: String(bdb.uid),
    storeVersion: bdb.redis_version,
    ...servingOf(
      bdb,
      primaries.find(({ redis_version }) => redis_version === bdb.redis_version) ?? primaries[0],
      before,
    ),
    internalEndpoints: bdb.endpoints.map(({ dns_name, port }) => ({ host: dns_name, port })),
    shardStatuses: shardsByStatus(primaries),
    shards: shardPlaces(bdb, shards),
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
  return [unready, ...(decision?.findings ?? []), failure, ...(decision?.warnings ?? []), decision?.drift].filter(
    (finding) => finding !== undefined,
  );
}

function shardsByStatus(primaries: readonly ShardInstanceRecord[]): Record<string, number> {
  const counts = Map.groupBy(primaries, ({ status, detailed_status }) =>
    status === "active" ? status : detailed_status,
  );
  return Object.fromEntries([...counts].map(([status, shards]) => [status, shards.length]));
}
