import type { StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import { Fault } from "#kit/base/fault";
import type { Stored } from "#kit/kube/kube";
import { observeCluster, readClusterSpec, type ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import { liveReads, type ClusterReads } from "../../../mechanisms/observe/kubernetes/cluster-reads.ts";
import { readEnvironment } from "../../../mechanisms/observe/environment/environment.ts";
import { readDatabasesOf } from "../../../mechanisms/observe/kubernetes/databases-of.ts";
import type { ClusterEnvironment } from "../../../core/planner/prerequisites/environment.ts";
import { latestRelease, releaseByNodeTag, releaseByOperator } from "../../../core/releases/catalogue/find.ts";
import { imageTagOf } from "../../../core/releases/catalogue/images.ts";
import { faults } from "../faults.ts";
import { lackOf, type Lack } from "./rights.ts";
import { chosenCluster, type NamespaceAccess } from "./namespace-access.ts";

/** A cluster with all that lies around it, as it is now. */
export interface Look {
  readonly observation: ClusterObservation;
  readonly environment: ClusterEnvironment;
  /** Its StoreEnterpriseDatabases; databases that were made through the management API have none. */
  readonly databases: readonly Stored<StoreEnterpriseDatabase>[];
  /** Version of the operator that is installed; empty when it is not known. */
  readonly operator: string;
  /** Node tag that the cluster runs, the lowest of its nodes. */
  readonly nodeTag: string;
  /** What the caller may not read of the cluster; what depends on it is not known. Absent when all of it was read. */
  readonly lack?: Lack & {
    /** Pods, StatefulSet or databases are not known, so that no check has all its facts. */
    readonly isEssential: boolean;
  };
  /** What the caller may not read, with what lies around the cluster. */
  readonly lackAround?: Lack;
}

/** Looks at a cluster once, as far as the caller may; CLI_NO_CLUSTER when it is not there. */
export async function lookAtCluster(access: NamespaceAccess, name?: string): Promise<Look> {
  const rec = await chosenCluster(access, name);
  const spec = readClusterSpec(rec);
  if (typeof spec === "string") throw new Fault(faults.unreadable, `${rec.metadata.name}: ${spec}`);
  const [environment, databases] = await Promise.all([
    readEnvironment(
      { kube: access.around.noting(access.kube), clock: access.clock },
      { name: rec.metadata.name, namespace: access.namespace },
    ),
    access.denied.unless(readDatabasesOf(access.kube, { name: rec.metadata.name, namespace: access.namespace }), []),
  ]);
  const operator = environment.operator?.read === true ? imageTagOf(environment.operator.value.image) : "";
  const nodeTag = rec.status?.version ?? rec.status?.imageTag ?? spec.storeEnterpriseImageSpec?.versionTag ?? "";
  const release = releaseByOperator(operator) ?? releaseByNodeTag(nodeTag) ?? latestRelease();
  const observed = await observeCluster({ ...access, release }, permittedReads(access), rec, spec, 0);
  const denied = access.denied.list();
  const all = [...denied, ...access.around.list()];
  const lack = denied.length === 0 ? undefined : await lackOf(access, denied, rec.metadata.name);
  const lackAround = all.length === 0 ? undefined : await lackOf(access, all, rec.metadata.name);
  const observation = withCause(observed, lack?.text);
  return {
    observation,
    environment: { ...observation.environment, ...environment },
    databases,
    operator,
    nodeTag,
    ...(lack && { lack: { ...lack, isEssential: denied.some(({ resource }) => resource !== "secrets") } }),
    ...(lackAround && { lackAround }),
  };
}

/** What the caller may not read is taken for absent, and noted. */
function permittedReads({ kube, denied }: NamespaceAccess): ClusterReads {
  const reads = liveReads(kube);
  return {
    statefulSet: (cluster) => denied.unless(reads.statefulSet(cluster), undefined),
    nodePods: (cluster) => denied.unless(reads.nodePods(cluster), []),
    podsNamed: (cluster, ordinals) => denied.unless(reads.podsNamed(cluster, ordinals), []),
    volumes: reads.volumes,
  };
}

/** What the caller may not ask is no fault of the cluster. */
function withCause(observation: ClusterObservation, lack: string | undefined): ClusterObservation {
  const { view } = observation;
  if (lack === undefined || view.cluster.reachable) return observation;
  return { ...observation, view: { ...view, cluster: { ...view.cluster, reason: lack, cause: "caller" } } };
}
