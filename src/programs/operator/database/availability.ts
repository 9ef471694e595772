import { shellWord } from "#kit/base/shell-word";
import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import { KINDS } from "../../../core/api/kinds.ts";
import { deleteObjects, describeObject, editObject, getNodePods, patchCluster } from "../../../core/api/kubectl.ts";
import { clusterNames } from "../../../core/api/names.ts";
import type { Condition, Finding } from "../../../core/api/parts.ts";
import { block, consent, wait, warn } from "../../../core/planner/findings/finding.ts";
import { isFindingId, type FindingId } from "../../../core/planner/prerequisites/finding-ids.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import { SCHEDULE_FINDINGS } from "./asked-schedule.ts";
import { missingService } from "./published-address.ts";
import { FAILOVER_MS, type LostAnswer } from "./lost-answer.ts";
import { adoptionOf, describeCopies, type SetAsideCopy } from "./set-aside.ts";
import type { BdbRecord } from "../../../ports/management/records.ts";

/** What the cluster says of the service of a database. */
type Service = Pick<
  BdbRecord,
  | "uid"
  | "name"
  | "status"
  | "version"
  | "waiting_for"
  | "obstacle"
  | "recovery"
  | "running_script"
  | "sync_state"
  | "endpoints"
>;

type RunningScript = NonNullable<Service["running_script"]>;

/** From then on engines without this product answer others that they are busy. */
const LONG_SCRIPT_SECONDS = 5;
/** Conditions about the service of a database, which are looked at also while management is suspended. */
const OF_SERVICE: readonly string[] = [
  "DatabaseUnavailable",
  "CreationFailed",
  "EngineFails",
  "EngineCrashes",
  "ScriptRunning",
  "NoReplicaInSync",
  "ClockApart",
  "KeysMisplaced",
  "MemoryTooSmall",
  "ShardCopyFails",
  "ShardsLackRoom",
  "ServiceMissing",
] satisfies readonly FindingId[];
/** What is known besides of a database and its cluster. */
interface ServiceFacts extends Pick<DatabaseStatus, "cluster" | "conditions"> {
  /** A Service with its name and its labels is there. */
  readonly hasService: boolean;
  /** Copies that nodes have set aside, the newest first. */
  readonly copies?: readonly SetAsideCopy[];
  /** The newest backup of it that can be restored, where it has lost its data and asks what to do; absent otherwise. */
  readonly newestBackup?: { readonly name: string; readonly at: number } | undefined;
}

const RESTORES = KINDS.restore.shortName;
const WITHHELD = "no replica is in sync, and replies wait for one";

/** Whether a primary serves the database; nothing while the last answer of the cluster still counts. */
export function available(bdb: Service | undefined, lost: LostAnswer | undefined): readonly Statement[] {
  if (bdb === undefined) return lost === undefined ? [] : [{ type: "Available", ...lost }];
  return [bdb.version === "" ? withoutPrimary(bdb) : withPrimary(bdb)];
}

function withPrimary({ status, sync_state }: Service): Statement {
  return sync_state === "withheld" && status !== "pending"
    ? { type: "Available", status: "False", reason: "NoReplicaInSync", message: WITHHELD }
    : { type: "Available", status: "True", reason: "Serving", message: "a primary serves" };
}

function withoutPrimary({ status, waiting_for, running_script }: Service): Statement {
  if (running_script !== undefined)
    return { type: "Available", status: "False", reason: "ScriptRunning", message: scriptText(running_script) };
  const reason = status === "recovery" || status === "creation-failed" ? REASONS[status] : "NoPrimary";
  return { type: "Available", status: "False", reason, message: waiting_for || "no primary serves" };
}

const REASONS = { recovery: "Recovering", "creation-failed": "CreationFailed" } as const;

/** The findings of something else than the service of a database and its schedule of backups. */
export function withoutService(findings: readonly Finding[] = []): Finding[] {
  return findings.filter(({ id }) => !OF_SERVICE.includes(id) && !SCHEDULE_FINDINGS.includes(id));
}

/** A primary has been away for longer than a failover takes, or cannot move before a user acts, or the database cannot be made. */
export function serviceFindings(bdb: Service | undefined, before: ServiceFacts, now: Date): readonly Finding[] {
  return [...obstacleOf(bdb), ...findingsOf(bdb, before, now), ...missingService(bdb, before, now)];
}

/** An obstacle that this operator does not know is in the reason for waiting alone. */
function obstacleOf(bdb: Service | undefined): readonly Finding[] {
  const { id, severity, evidence, remedy } = bdb?.obstacle ?? {};
  if (id === undefined || evidence === undefined || remedy === undefined || !isFindingId(id)) return [];
  return [(severity === "consent" ? consent : wait)(id, evidence, remedy)];
}

function findingsOf(
  bdb: Service | undefined,
  { cluster = "<rec>", conditions, copies = [], newestBackup }: ServiceFacts,
  now: Date,
): readonly Finding[] {
  if (bdb?.status === "creation-failed")
    return [
      block("CreationFailed", bdb.waiting_for, `${editObject(`redb ${bdb.name}`)}, or mend what the evidence names`),
    ];
  if (bdb?.running_script !== undefined) return scriptFinding(bdb, bdb.running_script, cluster);
  const condition = conditions?.find(({ type }) => type === "Available");
  if (bdb === undefined || bdb.status === "pending") return [];
  if (bdb.version !== "") return syncFinding(bdb);
  if (condition?.status !== "False") return [];
  if (now.getTime() - Date.parse(condition.lastTransitionTime) < FAILOVER_MS) return [];
  return [unavailable(bdb, cluster, condition, { copies, newestBackup })];
}

/** A script past the limit of engines. The pod of a script that cannot be killed is the way out: its agent ends the engine in the end. */
function scriptFinding({ name, endpoints }: Service, script: RunningScript, cluster: string): readonly Finding[] {
  if (script.age_seconds < LONG_SCRIPT_SECONDS) return [];
  const [{ dns_name: host, port } = { dns_name: "<host>", port: 0 }] = endpoints;
  const pod = clusterNames.nodePod(cluster, Number(script.node_uid));
  return [
    wait(
      "ScriptRunning",
      `"${name}" serves nothing else: ${scriptText(script)}`,
      `end it: redis-cli -h ${host} -p ${port} SCRIPT KILL (FUNCTION KILL for a function); an answer UNKILLABLE means that it has ` +
        `written: wait for its end, or give up what it wrote: ${deleteObjects("pod", [pod])}`,
    ),
  ];
}

/** A primary serves a database with `durability: sync`, and no replica has what it acknowledges. */
function syncFinding({ name, sync_state }: Service): readonly Finding[] {
  const pods = `check the node pods: ${getNodePods()}`;
  if (sync_state === "degraded")
    return [
      warn(
        "NoReplicaInSync",
        `no replica of "${name}" is in sync: replies do not wait, and a crash of the primary may lose acknowledged writes`,
        pods,
      ),
    ];
  if (sync_state !== "withheld") return [];
  const choice = `or let replies pass: ${editObject(`redb ${name}`)}, withoutReplica: degrade`;
  return [wait("NoReplicaInSync", `"${name}" gives no replies: ${WITHHELD}`, `${pods}; ${choice}`)];
}

function scriptText({ command, client, age_seconds, node_uid }: RunningScript): string {
  const whose = client === "" ? "" : ` of client ${client}`;
  return `${command}${whose} has run for ${age_seconds} s on node ${node_uid}`;
}

function unavailable(
  { uid, name, recovery }: Service,
  cluster: string,
  { message, lastTransitionTime }: Condition,
  { copies = [], newestBackup }: Pick<ServiceFacts, "copies" | "newestBackup">,
): Finding {
  const known = copies.length === 0 ? "" : `; set aside are: ${describeCopies(copies)}`;
  const evidence = `no primary has served "${name}" since ${lastTransitionTime}: ${message}${known}`;
  if (recovery?.awaits_data === true)
    return wait("DatabaseUnavailable", evidence, `look what its restore waits for: ${describeObject(RESTORES)}`);
  if (recovery?.needs_consent !== true)
    return wait("DatabaseUnavailable", evidence, `check the node pods: ${getNodePods()}`);
  const adoption = adoptionOf(copies, cluster, uid);
  const others = `bring the node or its volume back, or agree to what is gone: ${patchCluster(cluster, { clusterRecovery: true })}`;
  const saved =
    newestBackup === undefined
      ? ""
      : `bring back what was saved until ${new Date(newestBackup.at).toISOString()}: storectl restore ${shellWord(newestBackup.name)} --into ${shellWord(name)} --replace-lost-data; or `;
  const remedy =
    adoption === undefined ? `${saved}${others}` : `use the newest copy: ${adoption}; or ${saved}${others}`;
  return block("DatabaseUnavailable", evidence, remedy);
}
