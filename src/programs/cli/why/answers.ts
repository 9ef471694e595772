import type { StoreEnterpriseCluster, StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import { deploymentLog, describeObject, getNodePods } from "../../../core/api/kubectl.ts";
import type { Condition, Finding } from "../../../core/api/parts.ts";
import type { ClusterEnvironment } from "../../../core/planner/prerequisites/environment.ts";
import type { ClusterView } from "../../../core/planner/view/cluster-view.ts";
import type { Stored } from "../../../ports/kube/kube.ts";
import { remedyOf } from "./remedy.ts";

/** One thing that stands in the way. */
export interface WhyAnswer {
  /** `rec/<name>`, `redb/<name>` or `deployment/<name>`. */
  readonly object: string;
  readonly rule: string;
  readonly evidence: string;
  /** Since when, as a timestamp; empty when it is not known. */
  readonly since: string;
  /** The command that clears it, or what it waits for. */
  readonly clears: string;
}

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
  /** Undefined when only databases are asked about. */
  readonly cluster:
    { readonly rec: Stored<StoreEnterpriseCluster>; readonly environment: ClusterEnvironment } | undefined;
  readonly databases: readonly Stored<StoreEnterpriseDatabase>[];
  readonly events: readonly WarningEvent[];
}

/** Everything that stands in the way, the deepest cause first; nothing when nothing does. */
export function answersFor({ view, cluster, databases, events }: WhyInput): readonly WhyAnswer[] {
  return [
    ...(cluster === undefined
      ? []
      : [...operatorAnswers(cluster.environment), ...clusterAnswers(cluster.rec, view, events)]),
    ...databases.flatMap((database) => databaseAnswers(database, view, events)),
  ];
}

function operatorAnswers({ operator }: ClusterEnvironment): WhyAnswer[] {
  if (operator?.read !== true || operator.value.ready > 0) return [];
  const { ready, wanted, image } = operator.value;
  const object = "deployment/store-enterprise-operator";
  const evidence = `${ready} of ${wanted} replicas are ready (${image === "" ? "the Deployment is missing" : image}): no upgrade moves, and the answers below may be old`;
  return [{ object, rule: "OperatorNotReady", evidence, since: "", clears: describeObject(object) }];
}

function clusterAnswers(
  rec: Stored<StoreEnterpriseCluster>,
  view: ClusterView,
  events: readonly WarningEvent[],
): WhyAnswer[] {
  const reported = reportOf("rec", rec, events);
  return [...reportedAnswers(reported, view), ...unseen(reported), ...silent(view, reported)];
}

/** An edit that the operator has not handled yet. */
function unseen({ object, generation, observed }: Reported): WhyAnswer[] {
  if (observed !== undefined && observed >= generation) return [];
  const evidence = `the operator has not handled generation ${generation} of the spec yet, the last one was ${observed ?? "none"}`;
  const clears = deploymentLog("store-enterprise-operator");
  return [{ object, rule: "SpecNotHandled", evidence, since: "", clears }];
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
    ...ofFindings.map(({ id, severity, evidence, remedy }) => ({
      object,
      rule: id,
      evidence,
      since: sinceOf(reported, id, severity),
      clears: remedy,
    })),
    ...trouble
      .filter(({ reason }) => !ofFindings.some(({ id }) => id === reason))
      .map(({ reason, message, lastTransitionTime }) => ({
        object,
        rule: reason,
        evidence: message,
        since: eventOf(reported, reason)?.since || lastTransitionTime,
        clears: remedyOf(reason, object, view),
      })),
  ];
}

/** The condition that a finding leads to knows it, and an event knows it better. */
function sinceOf(reported: Reported, id: string, severity: Finding["severity"]): string {
  const type = severity === "block" ? "UpgradeBlocked" : "Progressing";
  const { conditions } = reported;
  const condition = conditions.find(({ reason }) => reason === id) ?? conditions.find((one) => one.type === type);
  return eventOf(reported, id)?.since || (condition?.lastTransitionTime ?? "");
}

function eventOf({ kind, name, events }: Reported, reason: string): WarningEvent | undefined {
  return events.find((event) => event.kind === kind && event.name === name && event.reason === reason);
}

/** The cluster does not answer this program, and its status does not say so. */
function silent({ cluster }: ClusterView, { object, conditions }: Reported): WhyAnswer[] {
  const isReported = conditions.some(({ type, status }) => type === "Available" && status === "False");
  if (cluster.reachable || cluster.cause === "caller" || isReported) return [];
  const pods = getNodePods(" -o wide");
  const clears = `${pods}  # is port 9443 of a node open to you?`;
  return [{ object, rule: "ClusterUnreachable", evidence: cluster.reason, since: "", clears }];
}

function databaseAnswers(
  redb: Stored<StoreEnterpriseDatabase>,
  view: ClusterView,
  events: readonly WarningEvent[],
): WhyAnswer[] {
  const reported = reportOf("redb", redb, events);
  const answers = reportedAnswers(reported, view);
  // while management is suspended every edit waits, and the condition says so
  return answers.length > 0 ? answers : unseen(reported);
}
