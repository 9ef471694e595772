import type { ClusterStatus } from "../../../core/api/cluster-status.ts";
import { clusterNames } from "../../../core/api/names.ts";
import { compareVersionText } from "#kit/base/version";
import { timestamp } from "#kit/kube/timestamp";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import { verdictOf, type ClusterRecords } from "../../../mechanisms/observe/management/cluster-records.ts";
import type { ClusterDecision } from "../../../core/planner/cluster/plan.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import { clusterConditions } from "../../../core/planner/cluster/conditions.ts";
import { recoveryPhase } from "../../../core/planner/cluster/recovery-phase.ts";
import { hasLostMajority } from "../../../core/planner/view/lost.ts";
import { persistenceOf } from "../../../core/planner/cluster/volumes.ts";
import { isComplete } from "../../../core/planner/cluster/state.ts";
import { nodesAt, runningTag } from "../../../core/planner/view/target.ts";
import { uidOf, type ClusterView } from "../../../core/planner/view/cluster-view.ts";
import { WATCH_CONDITION } from "../../../core/planner/operator/watched-namespaces.ts";
import { supportedStoreVersions } from "../../../core/releases/catalogue/find.ts";
import { moduleStatus } from "./module-status.ts";
import { withStatements } from "../objects/conditions.ts";

/** The whole status after a pass; what the cluster does not report at the moment stays as it was. */
export function nextStatus(
  { view, records, environment }: ClusterObservation,
  decision: ClusterDecision,
  installation: readonly Statement[],
  now: Date,
): ClusterStatus {
  const before = view.remembered;
  return {
    ...before,
    state: decision.state,
    specStatus: decision.specStatus,
    ...versionOf(view, decision.targetTag),
    replicas: view.pods.filter(({ inService, containerReady }) => inService && containerReady).length,
    observedGeneration: view.generation,
    ...("unreachable" in records ? {} : polledStatus(view, records)),
    bundledDatabaseVersions: supportedStoreVersions(view.release).map((version) => ({ dbType: "redis", version })),
    ...(view.operatorBaseSystem === undefined ? {} : { operatorBaseSystem: view.operatorBaseSystem }),
    ...modulesOfImage(view),
    ...persistenceOf(view, environment),
    ...upgradeOf(view, decision, now),
    ...recoveryOf(view, now),
    findings: [...decision.findings],
    clusterCredentialSecretName: view.spec.clusterCredentialSecretName ?? clusterNames.credentialsSecret(view.name),
    conditions: withStatements(
      before.conditions?.filter(
        ({ type }) => type !== WATCH_CONDITION || installation.some((said) => said.type === type),
      ),
      [...clusterConditions(view, decision), ...installation],
      now,
    ),
  };
}

function modulesOfImage({ operatorModules }: ClusterView): Pick<ClusterStatus, "operatorModules"> {
  if (operatorModules === undefined) return {};
  const written = operatorModules.map(({ storeVersion, modules }) => ({
    databaseVersion: storeVersion,
    names: [...modules],
  }));
  return { operatorModules: written };
}

/**
 * A complete cluster has the lowest version that its nodes report; a silent node counts as before. The tag of the template is that of the last
 * target: other writers wrote any other tag.
 */
function versionOf(view: ClusterView, targetTag: string): Pick<ClusterStatus, "version" | "imageTag"> {
  const { version, imageTag } = view.remembered;
  if (version === undefined && !isComplete(view)) return {};
  const tags = view.pods
    .map((pod) => runningTag(view, pod) ?? version ?? pod.nodeTag)
    .toSorted((a, b) => compareVersionText(a, b) ?? 0);
  const lowest = tags[0] ?? version;
  return {
    ...(lowest === undefined ? {} : { version: lowest }),
    ...(view.workload === undefined
      ? {}
      : { imageTag: view.workload.nodeTag === targetTag ? targetTag : (imageTag ?? view.workload.nodeTag) }),
  };
}

function polledStatus(view: ClusterView, { nodes, license, modules }: ClusterRecords): Partial<ClusterStatus> {
  return {
    licenseStatus: {
      licenseState: verdictOf(license).state,
      activationDate: license.activation_date,
      expirationDate: license.expiration_date,
      shardsLimit: license.shards_limit,
      shardsUsed: license.shards_usage,
      shardsUsage: `${license.shards_usage}/${license.shards_limit}`,
      features: [...license.features],
      owner: license.owner,
    },
    modules: moduleStatus({ modules, nodes }),
    nodes: nodes.map(({ uid, status, software_version, base_system, role }) => ({
      uid,
      pod: clusterNames.nodePod(view.name, uid),
      status,
      version: software_version,
      ...digestOf(view, uid),
      ...(base_system === undefined ? {} : { baseSystem: base_system }),
      role,
    })),
  };
}

function digestOf({ pods }: ClusterView, node: number): { readonly imageDigest?: string } {
  const digest = pods.find((pod) => uidOf(pod) === node)?.digest ?? "";
  return digest === "" ? {} : { imageDigest: digest };
}

function upgradeOf(view: ClusterView, decision: ClusterDecision, now: Date): Pick<ClusterStatus, "upgrade"> {
  const before = view.remembered.upgrade;
  const to = decision.targetTag;
  const updatedNodes = nodesAt(view, to);
  if (decision.upgrading) {
    const runs = before !== undefined && before.finishedAt === undefined && before.to === to;
    const began = runs ? before : { from: decision.change?.fromTag ?? to, to, startedAt: timestamp(now) };
    return { upgrade: { ...began, ...acceptanceOf(view, decision), updatedNodes } };
  }
  if (before === undefined || before.finishedAt !== undefined || decision.change !== undefined) return {};
  return { upgrade: { ...before, updatedNodes, finishedAt: timestamp(now) } };
}

/** The pods are noted before the first of them is deleted, so that an operator that starts in between knows the new ones. */
function recoveryOf(view: ClusterView, now: Date): Pick<ClusterStatus, "recovery"> {
  const before = view.remembered.recovery;
  if (recoveryPhase(view) === "begin") {
    const pods = hasLostMajority(view) ? view.pods.map(({ id }) => id) : [];
    return { recovery: { startedAt: timestamp(now), pods } };
  }
  if (before === undefined || before.finishedAt !== undefined || view.spec.clusterRecovery === true) return {};
  return { recovery: { ...before, finishedAt: timestamp(now) } };
}

/** Keeps the accepted version in the status after the upgrade, and after the field of the spec is gone. */
function acceptanceOf({ spec }: ClusterView, { change }: ClusterDecision): { acceptedUnknownVersion?: string } {
  const accepted = spec.upgradeSpec?.acceptUnknownVersion;
  const isUsed = change !== undefined && change.from === undefined && change.fromTag === accepted;
  return isUsed ? { acceptedUnknownVersion: accepted } : {};
}
