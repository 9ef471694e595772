import { clusterNameFor, homeOf } from "../../../core/api/database-home.ts";
import type { Clock } from "#kit/base/clock";
import type { StoreEnterpriseCluster, StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import type { Stored } from "#kit/kube/kube";
import { keyOf } from "#kit/kube/ref";
import { observeCluster, readClusterSpec, type ObserveDeps } from "../../../mechanisms/observe/cluster.ts";
import { liveReads, type ClusterRef } from "../../../mechanisms/observe/kubernetes/cluster-reads.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { Clusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { planCluster } from "../../../core/planner/cluster/plan.ts";
import {
  contextOf,
  invalidContext,
  type ClusterContext,
  type ClusterContexts,
  type Unready,
} from "../context/cluster-context.ts";
import { block } from "../../../core/planner/findings/finding.ts";
import { editObject } from "../../../core/api/kubectl.ts";

/** A StoreEnterpriseDatabase as it is stored. */
export type Redb = Stored<StoreEnterpriseDatabase>;

/** The cluster that the database belongs to, by its binding, its spec, or as the only one there is; why there is none otherwise. */
export function clusterOf(cache: Pick<InformerCache, "clusters">, redb: Redb): ClusterRef | Unready {
  const namespace = redb.metadata.namespace ?? "default";
  const all = clustersIn(cache, namespace);
  const name = clusterNameFor(redb, all);
  return name !== undefined && all.includes(name) ? { name, namespace } : notFound(redb, namespace, all);
}

/**
 * The clusters that may have the database of an object: the one that it belongs to; every one of the namespace when that cannot be
 * known, as when the object names one that is not there.
 */
export function holdersOf(cache: Pick<InformerCache, "clusters">, redb: Redb): readonly ClusterRef[] {
  const namespace = redb.metadata.namespace ?? "default";
  const all = clustersIn(cache, namespace);
  const name = clusterNameFor(redb, all);
  const isKnown = name !== undefined && (all.includes(name) || homeOf(redb.status ?? {}) !== undefined);
  return (isKnown ? [name] : all).map((one) => ({ name: one, namespace }));
}

function clustersIn({ clusters }: Pick<InformerCache, "clusters">, namespace: string): readonly string[] {
  return clusters
    .list()
    .filter(({ metadata }) => metadata.namespace === namespace)
    .map(({ metadata }) => metadata.name);
}

/** What acts rest on is read anew, once a second however many databases are acted on. */
const FRESH_MS = 1_000;

/**
 * Reads what databases of a cluster rest on from the API server and the cluster itself, not from copies; never as it was
 * before the last change that was observed.
 */
export function freshContexts(
  deps: ObserveDeps & { readonly clock: Clock; readonly contexts: ClusterContexts },
): (cluster: ClusterRef) => Promise<ClusterContext> {
  const looks = new Map<string, { readonly at: number; readonly context: Promise<ClusterContext> }>();
  deps.contexts.onChange((cluster) => {
    looks.delete(cluster);
  });
  const look = async (cluster: ClusterRef): Promise<ClusterContext> => {
    const rec = await deps.kube.get(Clusters, cluster);
    return rec === undefined ? missingContext(cluster) : readContext(deps, rec);
  };
  return (cluster) => {
    const key = keyOf(cluster);
    const now = deps.clock.uptimeMs();
    const known = looks.get(key);
    if (known !== undefined && now - known.at < FRESH_MS) return known.context;
    const context = look(cluster);
    looks.set(key, { at: now, context });
    context.catch(() => {
      if (looks.get(key)?.context === context) looks.delete(key); // its callers get the failure
    });
    return context;
  };
}

async function readContext(deps: ObserveDeps, rec: Stored<StoreEnterpriseCluster>): Promise<ClusterContext> {
  const spec = readClusterSpec(rec);
  if (typeof spec === "string") return invalidContext(rec.metadata.name, spec);
  const observation = await observeCluster(deps, liveReads(deps.kube), rec, spec, FRESH_MS);
  const { view, environment } = observation;
  return contextOf(observation, planCluster(view, view.workload?.template ?? "", environment).suspension);
}

function notFound({ metadata, spec, status = {} }: Redb, namespace: string, all: readonly string[]): Unready {
  const there = `namespace ${namespace} has ${all.length === 0 ? "no cluster" : `clusters: ${all.join(", ")}`}`;
  const home = homeOf(status);
  if (home !== undefined)
    return block("ClusterNotFound", `the database is in the cluster ${home}, but ${there}`, MAKE_AGAIN);
  const name = spec.storeEnterpriseCluster?.name;
  const said = name === undefined ? "is not set, and" : `is "${name}", but`;
  const remedy = `make the cluster, or name one that is there: ${editObject(`redb ${metadata.name}`)}`;
  return block("ClusterNotFound", `spec.storeEnterpriseCluster.name ${said} ${there}`, remedy);
}

const MAKE_AGAIN = "make the cluster again: its databases are found in its volumes";

function missingContext({ name }: ClusterRef): ClusterContext {
  const unready = block("ClusterNotFound", `the cluster ${name} is gone`, MAKE_AGAIN);
  return { suspension: undefined, unready, hasNodes: false, nearby: undefined, means: "", connection: undefined };
}
