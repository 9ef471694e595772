import type { ClusterStatus } from "../../../core/api/cluster-status.ts";
import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import { versionOfDatabase } from "../../../core/api/older-status.ts";
import { causesOf, isBlocking } from "../../../core/planner/recovery/causes.ts";
import { blockingFacts } from "../access/blocking-facts.ts";
import type { Look } from "../access/look.ts";
import type { BackupStanding } from "../backup/standing.ts";
import { foldText, namedValues, textTable } from "../console/output.ts";

/** What `storectl status` answers. */
export interface StatusReport {
  readonly cluster: string;
  readonly namespace: string;
  /** The cluster is Running, nothing blocks or is suspended, nodes and databases are active as far as they are known, and the operator is ready. */
  readonly healthy: boolean;
  readonly operator: { readonly version: string; readonly ready: number; readonly wanted: number } | null;
  readonly kubernetes: string | null;
  readonly state: string;
  readonly specStatus: string;
  readonly version: string;
  readonly license: { readonly state: string; readonly ends: string; readonly shards: string };
  readonly upgrade: (NonNullable<ClusterStatus["upgrade"]> & { readonly nodes: number }) | null;
  readonly suspended: string | null;
  /** What blocks, as `storectl why` and `storectl recover` see it. */
  readonly blocks: readonly Said[];
  /** What holds nothing up today, for instance what the next upgrade would wait for. */
  readonly warnings: readonly Said[];
  /** Why the cluster itself did not answer; null when it did: nodes and databases are then as they are now. */
  readonly unreachable: string | null;
  /** What the caller may not read, and the line that grants it; null when everything was read. */
  readonly notRead: { readonly text: string; readonly remedy: string } | null;
  readonly nodes: readonly NodeRow[];
  readonly databases: readonly DatabaseRow[];
  /** Of each database that has a backup or a schedule of them; null when the caller may not read them. */
  readonly backups: readonly BackupStanding[] | null;
}

interface Said {
  readonly object: string;
  readonly rule: string;
  readonly evidence: string;
}

interface NodeRow {
  readonly uid: number;
  readonly pod: string;
  readonly status: string;
  readonly version: string;
  readonly leader: boolean;
}

interface DatabaseRow {
  readonly name: string;
  readonly version: string;
  /** The engine that serves, as its object reports it, and whether it stands in; empty when the object does not tell. */
  readonly engine: string;
  readonly standIn: boolean;
  readonly status: string;
  /** How many replicas follow its primary; null while the cluster does not answer. */
  readonly replicas: number | null;
  readonly waitingFor: string;
}

/** What was seen of a cluster; `backups` are undefined when the caller may not read them. */
export function statusReport(look: Look, backups: readonly BackupStanding[] | undefined): StatusReport {
  const { observation, environment, databases, operator, lack, lackAround } = look;
  const { view, namespace } = observation;
  const { remembered, cluster } = view;
  const facts = environment.operator?.read === true ? environment.operator.value : undefined;
  const suspension = remembered.conditions?.find(({ type }) => type === "ReconcileSuspended");
  const report = {
    cluster: view.name,
    namespace,
    operator: facts === undefined ? null : { version: operator, ready: facts.ready, wanted: facts.wanted },
    kubernetes: view.kubernetesMinor ?? null,
    state: remembered.state ?? "",
    specStatus: remembered.specStatus ?? "",
    version: remembered.version ?? "",
    license: licenseOf(remembered),
    upgrade: remembered.upgrade === undefined ? null : { ...remembered.upgrade, nodes: view.spec.nodes },
    suspended: suspension?.status === "True" ? suspension.message : null,
    ...saidOf(look, backups),
    unreachable: cluster.reachable || lack !== undefined ? null : cluster.reason,
    notRead: lack ?? (facts === undefined ? (lackAround ?? null) : null),
    nodes: nodesOf(observation.view),
    databases: databasesOf(observation.view, databases),
    backups: backups ?? null,
  };
  return { ...report, healthy: isHealthy(report) };
}

/** Warnings alone are no trouble. */
function saidOf(look: Look, backups: readonly BackupStanding[] = []): Pick<StatusReport, "blocks" | "warnings"> {
  const causes = causesOf(blockingFacts(look));
  const said = (ofWarnings: boolean): readonly Said[] =>
    causes
      .filter(({ finding }) => isBlocking(finding) !== ofWarnings)
      .map(({ about: { kind, name }, finding: { id, evidence } }) => ({
        object: `${kind}/${name}`,
        rule: id,
        evidence,
      }));
  return { blocks: said(false), warnings: [...said(true), ...backups.flatMap(saidOfBackups)] };
}

function isHealthy(report: Omit<StatusReport, "healthy">): boolean {
  return (
    report.state === "Running" &&
    report.specStatus === "Valid" &&
    report.suspended === null &&
    report.blocks.length === 0 &&
    report.unreachable === null &&
    (report.operator === null || report.operator.ready > 0) &&
    report.nodes.every((node) => isActive(node, report)) &&
    report.databases.every((database) => isActive(database, report))
  );
}

function saidOfBackups({ database, troubles }: BackupStanding): readonly Said[] {
  return troubles.map(({ rule, evidence }) => ({ object: `redb/${database}`, rule, evidence }));
}

/** What the caller may not read is no sign of trouble. */
function isActive({ status }: { readonly status: string }, { notRead }: Pick<StatusReport, "notRead">): boolean {
  return status === "active" || (status === "unknown" && notRead !== null);
}

function licenseOf({ licenseStatus }: ClusterStatus): StatusReport["license"] {
  return {
    state: licenseStatus?.licenseState ?? "",
    ends: licenseStatus?.expirationDate ?? "",
    shards: licenseStatus?.shardsUsage ?? "",
  };
}

type View = Look["observation"]["view"];

function nodesOf({ name, cluster, remembered }: View): readonly NodeRow[] {
  if (!cluster.reachable) {
    return (remembered.nodes ?? []).map(({ uid, pod, version, role }) => {
      return { uid, pod, status: "unknown", version, leader: role === "leader" };
    });
  }
  return cluster.nodes.map(({ uid, active, maintenance, tag, leader }) => ({
    uid,
    pod: `${name}-${uid - 1}`,
    status: active ? (maintenance ? "maintenance" : "active") : "down",
    version: tag,
    leader,
  }));
}

function databasesOf({ cluster }: View, objects: Look["databases"]): readonly DatabaseRow[] {
  if (!cluster.reachable) {
    return objects.map(({ metadata: { name }, status = {} }) => ({
      name,
      version: versionOfDatabase(status) ?? "",
      ...engineOf(status),
      status: "unknown",
      replicas: null,
      waitingFor: "",
    }));
  }
  return cluster.databases.map(({ name, storeVersion, status, instances, waitingFor }) => {
    const engine = engineOf(objects.find(({ metadata }) => metadata.name === name)?.status);
    const replicas = instances.filter(({ primary }) => !primary).length;
    return { name, version: storeVersion, ...engine, status, replicas, waitingFor };
  });
}

function engineOf({ engine = "", standIn = false }: DatabaseStatus = {}): Pick<DatabaseRow, "engine" | "standIn"> {
  return { engine, standIn };
}

function engineText({ engine, standIn }: DatabaseRow): string {
  if (engine === "") return "-";
  return standIn ? `${engine} (stand-in)` : engine;
}

/** The page for people. */
export function statusTable(report: StatusReport, columns?: number): string {
  const { operator, license, upgrade, suspended, unreachable, notRead, blocks, warnings } = report;
  const facts: [string, string][] = [
    ["CLUSTER", `${report.namespace}/${report.cluster}`],
    ["STATE", `${report.state}, spec ${report.specStatus}`],
    ["VERSION", report.version],
    ["OPERATOR", operator === null ? "not known" : `${operator.version}, ${operator.ready}/${operator.wanted} ready`],
    ["KUBERNETES", report.kubernetes ?? "not known"],
    ["LICENSE", `${license.state} until ${license.ends}, ${license.shards} shards`],
    ["UPGRADE", upgrade === null ? "none yet" : progress(upgrade)],
  ];
  return [
    namedValues(facts, 13),
    suspended === null ? "" : longRow("SUSPENDED", suspended, columns),
    ...blocks.map((one) => longRow("BLOCKED", saidText(one), columns)),
    ...warnings.map((one) => longRow("WARNING", saidText(one), columns)),
    unreachable === null ? "" : namedValues([["UNREACHABLE", unreachable]], 13),
    notRead === null ? "" : notReadText(notRead, columns),
    "\n",
    textTable(
      ["NODE", "POD", "STATUS", "VERSION", "ROLE"],
      report.nodes.map(({ uid, pod, status, version, leader }) => {
        return [String(uid), pod, status, version, leader ? "leader" : "member"];
      }),
      columns,
    ),
    "\n",
    report.databases.length === 0
      ? `${notRead === null ? "no databases" : "databases: not known"}\n`
      : textTable(
          ["DATABASE", "VERSION", "ENGINE", "STATUS", "REPLICAS", "WAITS FOR"],
          report.databases.map(databaseCells),
          columns,
        ),
    backupsText(report.backups, columns),
    report.healthy ? "" : "\nSomething is not as it should be: storectl why\n",
  ].join("");
}

const STATES: Readonly<Record<BackupStanding["state"], string>> = {
  fresh: "fresh",
  awaited: "not due yet",
  stale: "stale",
  unscheduled: "no schedule",
  unknown: "not known yet",
};

/** Nothing of databases that were never saved. */
function backupsText(backups: StatusReport["backups"], columns?: number): string {
  if (backups === null) return "\nbackups: not known, you may not read them\n";
  if (backups.length === 0) return "";
  const rows = backups.map(({ database, newest, completed, state }) => {
    return [database, newest || "-", completed || "-", STATES[state]];
  });
  return `\n${textTable(["BACKUPS OF", "NEWEST RESTORABLE", "COMPLETED", "STATE"], rows, columns)}`;
}

function saidText({ object, rule, evidence }: Said): string {
  return `${object}: ${rule}: ${evidence}`;
}

function longRow(title: string, text: string, columns?: number): string {
  return `${title.padEnd(13)}${foldText(text, " ".repeat(13), columns).trimStart()}`;
}

function notReadText({ text, remedy }: NonNullable<StatusReport["notRead"]>, columns?: number): string {
  const indent = " ".repeat(13);
  return `${"NOT KNOWN".padEnd(13)}${foldText(text, indent, columns).trimStart()}${indent}do: ${foldText(remedy, `${indent}    `, columns).trimStart()}`;
}

function databaseCells(row: DatabaseRow): readonly string[] {
  const { name, version, status, replicas, waitingFor } = row;
  return [name, version, engineText(row), status, String(replicas ?? "-"), waitingFor || "-"];
}

function progress({ from, to, finishedAt, updatedNodes, nodes }: NonNullable<StatusReport["upgrade"]>): string {
  const way = `${from} -> ${to}`;
  return finishedAt === undefined ? `${way}: ${updatedNodes} of ${nodes} nodes` : `${way}, ended ${finishedAt}`;
}
