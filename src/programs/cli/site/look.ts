import type { StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import { Fault } from "../../../core/base/fault.ts";
import type { Stored } from "../../../ports/kube/kube.ts";
import {
  observeCluster,
  readClusterSpec,
  liveReads,
  type ClusterObservation,
} from "../../../mechanisms/observe/cluster.ts";
import { readEnvironment } from "../../../mechanisms/observe/environment/environment.ts";
import { readDatabasesOf } from "../../../mechanisms/observe/kubernetes/databases-of.ts";
import type { ClusterEnvironment } from "../../../core/planner/prerequisites/environment.ts";
import { latestRelease, releaseByNodeTag, releaseByOperator } from "../../../core/releases/catalogue/find.ts";
import { imageTagOf } from "../../../core/releases/catalogue/images.ts";
import { faults } from "../faults.ts";
import { chosenCluster, type Site } from "./site.ts";

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
}

/** Looks at a cluster once; CLI_NO_CLUSTER when it is not there. */
export async function lookAtCluster(site: Site, name?: string): Promise<Look> {
  const rec = await chosenCluster(site, name);
  const spec = readClusterSpec(rec);
  if (typeof spec === "string") throw new Fault(faults.unreadable, `${rec.metadata.name}: ${spec}`);
  const [environment, databases] = await Promise.all([
    readEnvironment(site, { name: rec.metadata.name, namespace: site.namespace }),
    readDatabasesOf(site.kube, { name: rec.metadata.name, namespace: site.namespace }),
  ]);
  const operator = environment.operator?.read === true ? imageTagOf(environment.operator.value.image) : "";
  const nodeTag = rec.status?.version ?? rec.status?.imageTag ?? spec.storeEnterpriseImageSpec?.versionTag ?? "";
  const release = releaseByOperator(operator) ?? releaseByNodeTag(nodeTag) ?? latestRelease();
  const observed = await observeCluster({ ...site, release }, liveReads(site.kube), rec, spec, 0);
  const observation = withCause(observed, site.isDenied());
  return { observation, environment: { ...observation.environment, ...environment }, databases, operator, nodeTag };
}

/** What the caller may not ask is no fault of the cluster. */
function withCause(observation: ClusterObservation, isDenied: boolean): ClusterObservation {
  const { view } = observation;
  if (!isDenied || view.cluster.reachable) return observation;
  return { ...observation, view: { ...view, cluster: { ...view.cluster, cause: "caller" } } };
}
