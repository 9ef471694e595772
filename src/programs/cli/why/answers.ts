import type { StoreEnterpriseCluster, StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import type { Condition, Finding } from "../../../core/api/parts.ts";
import type { Stored } from "../../../ports/kube/kube.ts";
import type { ClusterView } from "../../../core/planner/view/cluster-view.ts";
import type { ClusterEnvironment } from "../../../core/planner/prerequisites/environment.ts";
import { splitMessage } from "./split.ts";

/** One thing that stands in the way. */
export interface WhyAnswer {
  /** `rec/<name>`, `redb/<name>` or `deployment/<name>`. */
  readonly object: string;
  readonly rule: string;
  readonly evidence: string;
  /** Since when, as a timestamp; empty when nobody wrote it down. */
  readonly since: string;
  /** The command that clears it, or what happens by itself. */
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
  /** Undefined when only databases are asked about. */
  readonly cluster:
    | {
        readonly rec: Stored<StoreEnterpriseCluster>;
        readonly view: ClusterView;
        readonly environment: ClusterEnvironment;
      }
    | undefined;
  readonly databases: readonly Stored<StoreEnterpriseDatabase>[];
  readonly events: readonly WarningEvent[];
}

/** Everything that stands in the way, the deepest cause first; nothing when nothing does. */
export function answersFor({ cluster, databases, events }: WhyInput): readonly WhyAnswer[] {
  return [
    ...(cluster === undefined
      ? []
      : [...operatorAnswers(cluster.environment), ...clusterAnswers(cluster.rec, cluster.view, events)]),
    ...databases.flatMap((database) => databaseAnswers(database, events)),
  ];
}

function operatorAnswers({ operator }: ClusterEnvironment): WhyAnswer[] {
  if (operator?.read !== true || operator.value.ready > 0) return [];
  const { ready, wanted, image } = operator.value;
  const object = "deployment/store-enterprise-operator";
  const evidence = `${ready} of ${wanted} are ready (${image === "" ? "it is not there" : image}): nobody acts, and what follows may be old`;
  return [{ object, rule: "OperatorNotReady", evidence, since: "", clears: `kubectl describe ${object}` }];
}

function clusterAnswers(
  { metadata, status, ...rec }: Stored<StoreEnterpriseCluster>,
  view: ClusterView,
  events: readonly WarningEvent[],
): WhyAnswer[] {
  const object = `rec/${metadata.name}`;
  const conditions = status?.conditions ?? [];
  const since = (type: string): string => conditions.find((one) => one.type === type)?.lastTransitionTime ?? "";
  const findings = (status?.findings ?? []).filter(({ severity }) => severity === "block" || severity === "wait");
  const told = findings.map((finding) => ({
    object,
    rule: finding.id,
    evidence: finding.evidence,
    since: since(finding.severity === "block" ? "UpgradeBlocked" : "Progressing"),
    clears: finding.remedy,
  }));
  const state = { kind: rec.kind, name: metadata.name, object, conditions, told: findings, events };
  return [
    ...told,
    ...unseen(object, metadata.generation, status?.observedGeneration),
    ...conditionAnswers(state),
    ...silent(view, state),
  ];
}

/** An edit that the operator has not looked at yet. */
function unseen(object: string, generation = 0, observed: number | undefined): WhyAnswer[] {
  if (observed !== undefined && observed >= generation) return [];
  const evidence = `generation ${generation} of the spec is not looked at yet, the last one was ${observed ?? "none"}`;
  const clears = "kubectl logs deployment/store-enterprise-operator";
  return [{ object, rule: "SpecNotHandled", evidence, since: "", clears }];
}

/** The conditions that say so when something is not well, and the status that they have then. */
const TROUBLE: Readonly<Record<string, Condition["status"]>> = {
  Available: "False",
  Progressing: "True",
  ReconcileSuspended: "True",
  UpgradeBlocked: "True",
  Degraded: "True",
  Ready: "False",
  Drifted: "True",
};

interface Told {
  readonly kind: string;
  readonly name: string;
  readonly object: string;
  readonly conditions: readonly Condition[];
  readonly told: readonly Finding[];
  readonly events: readonly WarningEvent[];
}

/** A condition whose reason a finding tells already says nothing new. */
function conditionAnswers({ kind, name, object, conditions, told, events }: Told): WhyAnswer[] {
  return conditions
    .filter(({ type, status, reason }) => TROUBLE[type] === status && !told.some(({ id }) => id === reason))
    .map(({ reason, message, lastTransitionTime }) => {
      const said = events.find((event) => event.kind === kind && event.name === name && event.reason === reason);
      const { evidence, clears } = splitMessage(message);
      return {
        object,
        rule: reason,
        evidence,
        since: said?.since || lastTransitionTime,
        clears: clears || `kubectl describe ${object}`,
      };
    });
}

/** The cluster does not answer us, though nobody has said so. */
function silent({ cluster }: ClusterView, { object, conditions }: Told): WhyAnswer[] {
  const isSaid = conditions.some(({ type, status }) => type === "Available" && status === "False");
  if (cluster.reachable || cluster.cause === "caller" || isSaid) return [];
  const clears = "kubectl get pods -l storeenterprise.io/role=node -o wide  # is port 9443 of a node open to you?";
  return [{ object, rule: "ClusterUnreachable", evidence: cluster.reason, since: "", clears }];
}

function databaseAnswers(
  { kind, metadata, status }: Stored<StoreEnterpriseDatabase>,
  events: readonly WarningEvent[],
): WhyAnswer[] {
  const object = `redb/${metadata.name}`;
  const conditions = status?.conditions ?? [];
  const answers = conditionAnswers({ kind, name: metadata.name, object, conditions, told: [], events });
  // while management is suspended every edit waits, and the condition says so
  return answers.length > 0 ? answers : unseen(object, metadata.generation, status?.observedGeneration);
}
