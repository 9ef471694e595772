import type { StoreEnterpriseCluster, StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import {
  deploymentLog,
  describeObject,
  getNodePods,
  listPermissions,
  resumeRollout,
  rolloutStatus,
} from "../../../core/api/kubectl.ts";
import { OPERATOR_NAME } from "../../../core/api/names.ts";
import type { Condition, Finding } from "../../../core/api/parts.ts";
import { pausedText, unreadyOperatorRemedy } from "../../../core/planner/prerequisites/unready-operator.ts";
import { checkInput } from "../../../core/planner/prerequisites/check-input.ts";
import { causesOf } from "../../../core/planner/recovery/causes.ts";
import type { ClusterState } from "../../../core/api/states.ts";
import type { ClusterEnvironment, OperatorFacts } from "../../../core/planner/prerequisites/environment.ts";
import type { FindingId } from "../../../core/planner/prerequisites/finding-ids.ts";
import type { ClusterView } from "../../../core/planner/view/cluster-view.ts";
import type { Stored } from "#kit/kube/kube";
import type { BackupStanding } from "../backup/standing.ts";
import { blockedAnswer, notLookedAt, type WhyAnswer } from "./answer.ts";
import { deletionOfCluster, deletionOfDatabase } from "./deletion.ts";
import { installationAnswers } from "./installation.ts";
import { withoutEffects } from "./one-cause.ts";
import { remedyOf } from "./remedy.ts";

/** A warning event. */
export interface WarningEvent {
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
  readonly message: string;
  readonly since: string;
  readonly last: string;
}

export interface WhyInput {
  readonly view: ClusterView;
  /** What lies around the cluster. */
  readonly environment: ClusterEnvironment;
  /** Undefined when only databases are asked about. */
  readonly cluster: ClusterAsked | undefined;
  readonly databases: readonly Stored<StoreEnterpriseDatabase>[];
  /** How the backups of these stand. */
  readonly backups: readonly BackupStanding[];
  readonly events: readonly WarningEvent[];
  /** What the caller may not read, and the line that grants it. */
  readonly lack?: { readonly text: string; readonly remedy: string };
}

/** A cluster that is asked about, with what lies around it. */
interface ClusterAsked {
  readonly rec: Stored<StoreEnterpriseCluster>;
  readonly environment: ClusterEnvironment;
  /** Pods, StatefulSet or databases could not be read. */
  readonly lacksFacts: boolean;
}

/** Everything that is to be said: what stands in the way first, the deepest cause before the others; nothing when all is well. */
export function answersFor(asked: WhyInput): readonly WhyAnswer[] {
  const { view, environment, cluster, databases, backups, events, lack } = asked;
  const ofCluster =
    cluster === undefined
      ? []
      : [...operatorAnswers(view, cluster), ...clusterAnswers(cluster, databases, view, events)];
  const ofDatabases = databases.map((database) => databaseAnswers(database, { view, events, environment }));
  const { own, shared } = divide(ofCluster, ofDatabases);
  const notRead = lack === undefined ? [] : [notLookedAt(`rec/${view.name}`, lack.text, lack.remedy)];
  const said = [...notRead, ...ofCluster.map((answer) => withWaiting(answer, shared)), ...own];
  const all = [...withoutEffects(said, view), ...backups.flatMap(backupAnswers)];
  return (["blocks", "warns", "unknown"] as const).flatMap((level) => all.filter((one) => one.level === level));
}

/** Nothing waits for a backup. */
function backupAnswers({ database, troubles }: BackupStanding): readonly WhyAnswer[] {
  return troubles.map((trouble) => ({ level: "warns", object: `redb/${database}`, ...trouble }));
}

/** Why databases wait is said once, at their cluster, when both say it. */
function divide(ofCluster: readonly WhyAnswer[], ofDatabases: readonly (readonly WhyAnswer[])[]) {
  const isShared = ({ rule }: WhyAnswer): boolean => SHARED.has(rule) && ofCluster.some((one) => one.rule === rule);
  const all = ofDatabases.flat();
  return { own: all.filter((one) => !isShared(one)), shared: all.filter(isShared) };
}

/** Reasons for which a cluster and all its databases wait together. */
const SHARED: ReadonlySet<string> = new Set(["OperatorUpgraded", "RollInProgress"]);

function withWaiting(answer: WhyAnswer, shared: readonly WhyAnswer[]): WhyAnswer {
  const waiting = shared.filter(({ rule }) => rule === answer.rule).map(({ object }) => object);
  if (waiting.length === 0) return answer;
  const count = waiting.length === 1 ? "1 database waits" : `${waiting.length} databases wait`;
  return { ...answer, evidence: `${answer.evidence}; ${count} for this: ${waiting.join(", ")}` };
}

/** An operator that is away writes no finding: what keeps its pod away comes first, and then that it is away. */
function operatorAnswers(view: ClusterView, asked: ClusterAsked): WhyAnswer[] {
  const { operator } = asked.environment;
  if (operator?.read !== true) return [];
  const { ready, wanted } = operator.value;
  const object = "deployment/store-enterprise-operator";
  if (ready > 0) return pausedAnswers(object, operator.value);
  const evidence = `${ready} of ${wanted} replicas are ready (${deploymentText(operator.value)}): no upgrade moves, and the answers below may be old`;
  const causes = seenCauses(view, asked).filter(({ rule }) => !AFTER_OPERATOR.includes(rule));
  return [...causes, blockedAnswer(object, "OperatorNotReady", evidence, unreadyOperatorRemedy(operator.value))];
}

/** An operator that is ready and paused serves, until another one is asked for. */
function pausedAnswers(object: string, operator: OperatorFacts): WhyAnswer[] {
  const said = pausedText(operator);
  if (said === undefined) return [];
  const level = operator.paused === "behind" ? "blocks" : "warns";
  return [{ ...blockedAnswer(object, "OperatorNotReady", said, resumeRollout(OPERATOR_NAME)), level }];
}

function deploymentText({ image, leaving }: OperatorFacts): string {
  if (image === "") return "the Deployment is missing";
  return leaving === true ? `${image}, which is being deleted` : image;
}

/** What keeps no pod of the operator away: it is said after it, if at all. */
const AFTER_OPERATOR: readonly string[] = [
  "SpecNotHandled",
  "SpecInvalid",
  "CapacityShort",
  "DatabaseUpgradeWaits",
] satisfies readonly FindingId[];

/** What `storectl recover` would clear, found by the same function from the same facts. */
function seenCauses(view: ClusterView, { environment, rec, lacksFacts }: ClusterAsked): WhyAnswer[] {
  if (rec.metadata.deletionTimestamp !== undefined) return [];
  return causesOf({ input: checkInput(view, { environment }), databases: [], lacksFacts })
    .filter(({ finding }) => finding.id !== "OperatorNotReady")
    .map(({ finding: { id, severity, evidence, remedy } }) => {
      const answer = blockedAnswer(`rec/${view.name}`, id, evidence, remedy);
      return severity === "warn" ? { ...answer, level: "warns" as const } : answer;
    });
}

function clusterAnswers(
  asked: ClusterAsked,
  databases: WhyInput["databases"],
  view: ClusterView,
  events: readonly WarningEvent[],
): WhyAnswer[] {
  const { rec } = asked;
  if (rec.metadata.deletionTimestamp !== undefined) return [deletionOfCluster(rec, databases, asked.environment)];
  const reported = reportOf("rec", rec, events);
  const own = [...reportedAnswers(reported, view), ...specNotHandled(reported), ...silent(view, reported)];
  const answers = [...own, ...seenCauses(view, asked).filter(({ rule }) => !own.some((one) => one.rule === rule))];
  const isSaid = answers.some(({ level }) => level === "blocks");
  const around = installationAnswers(reported.object, reported.conditions, answers);
  return [...(isSaid ? [] : underWay(reported, rec.status?.state, view)), ...answers, ...around];
}

/** A cluster that is not Running is on its way somewhere, also when no condition says what it waits for. */
function underWay({ object }: Reported, state: ClusterState | undefined, { name }: ClusterView): WhyAnswer[] {
  if (state === undefined || state === "Running") return [];
  const evidence = `STATE is ${state}, and no condition says what it waits for`;
  return [blockedAnswer(object, state, evidence, rolloutStatus(name))];
}

/** An edit that the operator has not handled yet. */
function specNotHandled({ object, generation, observed }: Reported): WhyAnswer[] {
  if (observed !== undefined && observed >= generation) return [];
  const evidence = `the operator has not handled generation ${generation} of the spec yet, the last one was ${observed ?? "none"}`;
  return [blockedAnswer(object, "SpecNotHandled", evidence, deploymentLog("store-enterprise-operator"))];
}

/** Conditions that show trouble, and the status that they have then. */
const TROUBLE: Readonly<Record<string, Condition["status"]>> = {
  Available: "False",
  Progressing: "True",
  ReconcileSuspended: "True",
  UpgradeBlocked: "True",
  Degraded: "True",
  Ready: "False",
  Drifted: "True",
};

/** What the status of an object reports. */
interface Reported {
  readonly kind: string;
  readonly name: string;
  readonly object: string;
  readonly findings: readonly Finding[];
  readonly conditions: readonly Condition[];
  readonly events: readonly WarningEvent[];
  readonly generation: number;
  /** The generation that the status describes. */
  readonly observed: number | undefined;
}

function reportOf(
  shortName: "rec" | "redb",
  { kind, metadata, status }: Stored<StoreEnterpriseCluster | StoreEnterpriseDatabase>,
  events: readonly WarningEvent[],
): Reported {
  const { name, generation = 0 } = metadata;
  const { findings = [], conditions = [], observedGeneration: observed } = status ?? {};
  return { kind, name, object: `${shortName}/${name}`, findings, conditions, events, generation, observed };
}

/** Findings first; then the conditions that no finding explains. */
function reportedAnswers(reported: Reported, view: ClusterView): WhyAnswer[] {
  const { object, findings, conditions } = reported;
  const trouble = conditions.filter(({ type, status }) => TROUBLE[type] === status);
  const ofFindings = findings.filter(
    ({ id, severity }) => severity === "block" || severity === "wait" || trouble.some(({ reason }) => reason === id),
  );
  return [
    ...ofFindings.map((finding) => answerOf("blocks", reported, finding)),
    ...trouble
      .filter(({ reason }) => !ofFindings.some(({ id }) => id === reason))
      .map(({ reason, message, lastTransitionTime }): WhyAnswer => {
        const clears = remedyOf(reason, object, view);
        const since = laterOf(eventOf(reported, reason)?.since, lastTransitionTime);
        return { level: "blocks", object, rule: reason, evidence: withoutCommand(message, clears), since, clears };
      }),
    ...findings.filter((one) => !ofFindings.includes(one)).map((finding) => answerOf("warns", reported, finding)),
  ];
}

/** A command that is to be run is said once: as what clears the cause, and not in its evidence too. */
function withoutCommand(message: string, command: string): string {
  const [first = message, ...rest] = message.split("; ").filter((part) => !part.endsWith(command));
  return [first, ...rest].join("; ");
}

function answerOf(level: WhyAnswer["level"], reported: Reported, { id, evidence, remedy }: Finding): WhyAnswer {
  const { object } = reported;
  return { level, object, rule: id, evidence, since: sinceOf(reported, id), clears: remedy };
}

/** By its event, and by a condition that names it; one that names another reason knows nothing of it. */
function sinceOf(reported: Reported, id: string): string {
  const condition = reported.conditions.find(({ reason }) => reason === id);
  return laterOf(eventOf(reported, id)?.since, condition?.lastTransitionTime);
}

/** An event may be of an earlier time that had ended, and a condition may have had another reason before: the later one counts. */
function laterOf(event = "", condition = ""): string {
  return Date.parse(event) < Date.parse(condition) ? condition : event || condition;
}

function eventOf({ kind, name, events }: Reported, reason: string): WarningEvent | undefined {
  return events.find((event) => event.kind === kind && event.name === name && event.reason === reason);
}

/** The cluster does not answer this program, and its status does not say so. */
function silent({ cluster }: ClusterView, { object, conditions }: Reported): WhyAnswer[] {
  const isReported = conditions.some(({ type, status }) => type === "Available" && status === "False");
  if (cluster.reachable) return [];
  if (cluster.cause === "caller") {
    const evidence = `the cluster itself was not asked: ${cluster.reason}`;
    return [notLookedAt(object, evidence, listPermissions())];
  }
  if (isReported) return [];
  return [
    blockedAnswer(
      object,
      "ClusterUnreachable",
      cluster.reason,
      `${getNodePods(" -o wide")}  # is port 9443 of a node open to you?`,
    ),
  ];
}

function databaseAnswers(
  redb: Stored<StoreEnterpriseDatabase>,
  { view, events, environment }: Pick<WhyInput, "view" | "events" | "environment">,
): WhyAnswer[] {
  if (redb.metadata.deletionTimestamp !== undefined) return [deletionOfDatabase(redb, view, environment)];
  const reported = reportOf("redb", redb, events);
  const answers = reportedAnswers(reported, view);
  // while management is suspended every edit waits, and the condition says so
  return answers.some(({ level }) => level === "blocks")
    ? answers
    : [...specNotHandled(reported), ...recoveringAnswers(reported), ...answers];
}

/** A database that serves may wait for something all the same, for instance for a replica. */
function recoveringAnswers({ object, conditions }: Reported): WhyAnswer[] {
  return conditions
    .filter(({ type, reason }) => type === "Ready" && reason === "Recovering")
    .map(({ reason, message, lastTransitionTime: since }) => ({
      level: "blocks",
      object,
      rule: reason,
      evidence: message,
      since,
      clears: describeObject(object),
    }));
}
