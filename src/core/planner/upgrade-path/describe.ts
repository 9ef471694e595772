import {
  applyFile,
  callApi,
  deploymentRollout,
  drain,
  getObjects,
  patchClusterTag,
  patchDatabaseVersion,
  rolloutStatus,
  showVersion,
} from "../../api/kubectl.ts";
import { OLD_CONSTRAINT } from "../../api/names.ts";
import { distributionSupport } from "../../releases/catalogue/distribution.ts";
import { knownIssues } from "../../releases/catalogue/known-issues.ts";
import { openShiftOf } from "../../releases/catalogue/open-shift.ts";
import { newPorts } from "../../releases/catalogue/ports.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import { strictest } from "../admission/upgrade-policy.ts";
import { isSameSystem, modulesBefore, systemsOf, type Prepared } from "./modules.ts";
import { isOlder, versionsAt, type PathDatabase, type PathFacts, type PathState, type Move } from "./state.ts";
import type { PlanStep } from "./step.ts";
import { placeholder } from "#kit/base/shell-word";

/** A move with what it restarts, pauses and makes final, after the work on modules that it needs first. */
export function describeMove(state: PathState, move: Move, facts: PathFacts, prepared: Prepared): readonly PlanStep[] {
  switch (move.stage) {
    case "operator":
      return [...modulesBefore(state, move, facts, prepared), operatorStep(state, move.to, facts)];
    case "cluster":
      return [
        ...modulesBefore(state, move, facts, prepared),
        clusterStep(state, move.to, facts, facts.autoUpgrade && !prepared.manual),
      ];
    case "kubernetes":
      return [kubernetesStep(state, move.to, facts)];
    case "databases":
      return [...modulesBefore(state, move, facts, prepared), databasesStep(state, move.to, facts)];
  }
}

function operatorStep(state: PathState, to: Release, facts: PathFacts): PlanStep {
  return {
    stage: "operator",
    from: state.operator.operator,
    to: to.operator,
    does: "updates the operator, its Role and the definitions",
    restarts: "the operator",
    pauses: "edits of databases wait until the cluster has followed; clients notice nothing",
    irreversible: "",
    consent: "",
    commands: [
      `storectl bundle generate ${to.operator} | ${applyFile("-")}`,
      deploymentRollout("store-enterprise-operator"),
    ],
    notes: [...platformNotes(state, to, facts), ...issueNotes(state.operator, to, facts)],
  };
}

function clusterStep({ cluster, operator }: PathState, to: Release, facts: PathFacts, automatic: boolean): PlanStep {
  const single = facts.databases.filter(({ replication }) => !replication);
  const ports = newPorts(cluster, operator).map(({ first, last }) =>
    first === last ? `${first}` : `${first}-${last}`,
  );
  return {
    stage: "cluster",
    from: cluster.nodeTag,
    to: to.nodeTag,
    does: `replaces ${facts.nodes} nodes, one at a time, each evacuated first`,
    restarts: `${facts.nodes} node pods and the engines on them`,
    pauses: "requests wait in the proxy for some milliseconds when a primary moves",
    irreversible: `the cluster never goes back below ${to.operator}`,
    consent: "the owner of the cluster",
    commands: automatic
      ? [getObjects(`rec ${facts.cluster} -w`, "automatic upgrade is on: the operator sets the tag")]
      : [patchClusterTag(facts.cluster, to.nodeTag), rolloutStatus(facts.cluster)],
    notes: [
      ...(isSameSystem(cluster, to) ? [] : [`the nodes move from ${systemsOf(cluster)} to ${systemsOf(to)}`]),
      ...(ports.length === 0 ? [] : [`nodes use new ports: open ${ports.join(", ")} in network policies first`]),
      ...(single.length === 0 ? [] : [`one copy only, moved while its node is away: ${databaseNames(single)}`]),
      ...(cluster.security === to.security ? [] : [`nodes become unprivileged; remove ${OLD_CONSTRAINT} afterwards`]),
    ],
  };
}

function kubernetesStep({ kubernetes = "", operator }: PathState, to: string, { isOpenShift }: PathFacts): PlanStep {
  const openShift = openShiftOf(to);
  const { name, support } = distributionSupport(operator, { minor: to, isOpenShift });
  return {
    stage: "kubernetes",
    from: kubernetes,
    to,
    does: `brings Kubernetes to ${to}, the control plane first, then one worker after the other`,
    restarts: "every pod of a worker while it is drained",
    pauses: "none that clients notice while the disruption budget is kept: one node at a time",
    irreversible: `Kubernetes never goes back to ${kubernetes}`,
    consent: "the owner of the platform",
    commands: [showVersion(), drain(placeholder("<worker>"))],
    notes: [
      ...(openShift === undefined ? [] : [`on OpenShift this is ${openShift}`]),
      ...(support === "deprecated" ? [`${name} is deprecated for ${operator.operator}`] : []),
    ],
  };
}

function databasesStep(state: PathState, to: string, facts: PathFacts): PlanStep {
  const old = facts.databases.filter((_one, index) => isOlder(versionsAt(state, facts)[index] ?? "", to));
  const versions = [...new Set(versionsAt(state, facts).filter((version) => isOlder(version, to)))];
  const suspended = state.operator.operator !== state.cluster.operator;
  return {
    stage: "databases",
    from: versions.join(", "),
    to,
    does: `upgrades ${databaseNames(old)}`,
    restarts:
      "the engines of these databases: new ones start beside the old ones and take over when they have the same data",
    pauses: "requests wait in the proxy for some milliseconds when the new primary takes over",
    irreversible: `these databases never go back below ${to}`,
    consent: "the owners of these databases",
    commands: old.map((database) => raise(database, to, facts.cluster, suspended)),
    notes: [...policyNotes(old), ...clientNotes(versions, to)],
  };
}

/** While management is suspended an object is not acted on: the management API is, and the object follows (§7). */
function raise({ name, uid, hasObject }: PathDatabase, to: string, cluster: string, suspended: boolean): string {
  return hasObject && !suspended
    ? patchDatabaseVersion(name, to)
    : callApi(cluster, "POST", `/v1/bdbs/${uid}/upgrade`, { body: { store_version: to }, comment: name });
}

/** Said where it holds: without it the plan may stop at an earlier version than a reader expects. */
function policyNotes(databases: readonly PathDatabase[]): readonly string[] {
  const kept = databases.filter(({ policies }) => strictest(policies) === "major");
  return kept.length === 0 ? [] : [`the upgrade policy "major" keeps ${databaseNames(kept)} from minor versions`];
}

/** What changes for clients of a database. */
function clientNotes(from: readonly string[], to: string): readonly string[] {
  const crosses = (version: string): boolean => from.some((one) => isOlder(one, version)) && !isOlder(to, version);
  return [
    ...(crosses("7.2") ? ["clients that ask for it are answered in RESP3 from 7.2 on"] : []),
    ...(crosses("8.0")
      ? ["from 8.0 on, categories such as @read include commands of modules: check your ACL rules"]
      : []),
  ];
}

function platformNotes({ kubernetes }: PathState, to: Release, { isOpenShift }: PathFacts): readonly string[] {
  if (kubernetes === undefined) return ["the version of Kubernetes could not be read: compare it yourself"];
  const { name, support } = distributionSupport(to, { minor: kubernetes, isOpenShift });
  return support === "deprecated" ? [`${name} is deprecated for ${to.operator}`] : [];
}

function issueNotes(from: Release, to: Release, { modules }: PathFacts): readonly string[] {
  const names = modules.map(({ name }) => name);
  return knownIssues(from, to, names).map(({ id, effect, workaround }) => `${id}: ${effect}; ${workaround}`);
}

function databaseNames(databases: readonly PathDatabase[]): string {
  return databases.map(({ name }) => `"${name}"`).join(", ");
}
