import { clusterNames } from "../../../core/api/names.ts";
import type { Ref } from "#kit/kube/kube";
import { hasRecord } from "../objects/has-record.ts";
import { block, pause } from "../../../core/planner/findings/finding.ts";
import { editObject } from "../../../core/api/kubectl.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { ClusterContext } from "../context/cluster-context.ts";
import { readRemote, type Rerc } from "../remote-cluster/participant.ts";
import { objectsIn } from "../remote-cluster/objects.ts";
import type { Reaadb } from "./view.ts";
import type { ActiveActiveDeps } from "./deps.ts";

/** Why nothing can be done for databases of the cluster; undefined when something can. */
export function hindranceOf(context: ClusterContext | undefined, cluster: string, { name }: Ref): Finding | undefined {
  if (context === undefined) {
    const remedy = `make the cluster, or name one that is there: ${editObject(`reaadb ${name}`)}`;
    const evidence = cluster === "" ? NOT_NAMED : `the namespace has no cluster "${cluster}"`;
    return block("ClusterNotFound", evidence, remedy);
  }
  const { suspension, unready } = context;
  if (suspension === undefined) return unready;
  return pause("ReconcileSuspended", `edits wait until the cluster is upgraded: ${suspension.evidence}`);
}

const NOT_NAMED = "spec.storeEnterpriseCluster.name is not set, and the namespace does not have just one cluster";

/**
 * The participants know of it, and which cluster of the namespace has their record cannot be known; or the one that has it is without
 * nodes for now, and is to have some again.
 */
export async function mayBeRecorded(deps: ActiveActiveDeps, reaadb: Reaadb, cluster: string): Promise<boolean> {
  const { cache } = deps;
  const { namespace = "default" } = reaadb.metadata;
  if (reaadb.status?.guid === undefined) return false;
  const known = cache.clusters.get({ name: cluster, namespace });
  if (known === undefined) return objectsIn(cache, namespace).clusters.length > 0;
  if (known.metadata.deletionTimestamp !== undefined) return false;
  return hasRecord(deps, { name: clusterNames.clusterRecord(cluster), namespace });
}

/** The cluster that is named, or the only one of the namespace. */
export function clusterNameOf({ cache }: ActiveActiveDeps, reaadb: Reaadb | undefined, namespace: string): string {
  const spec: Partial<Reaadb["spec"]> = reaadb?.spec ?? {};
  const named = spec.storeEnterpriseCluster ?? spec.globalConfigurations?.storeEnterpriseCluster;
  const [only, ...more] = objectsIn(cache, namespace).clusters;
  return named?.name ?? (more.length === 0 ? (only?.metadata.name ?? "") : "");
}

/** Only names what is said when the own cluster does not answer. */
export function ownRemoteOf(self: Rerc | undefined, { namespace }: Required<Ref>, cluster: string) {
  const remote = self && readRemote(self);
  if (remote !== undefined && typeof remote !== "string") return remote;
  return { name: cluster, namespace, spec: { recName: cluster, recNamespace: namespace, apiFqdnUrl: cluster } };
}
