import type { Clock } from "../../../core/base/clock.ts";
import type { StoreEnterpriseCluster, StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import type { Stored } from "../../../ports/kube/kube.ts";
import { keyOf } from "../../../ports/kube/ref.ts";
import type { BdbRecord } from "../../../ports/management/records.ts";
import {
  observeCluster,
  readClusterSpec,
  liveReads,
  type ClusterRef,
  type ObserveDeps,
} from "../../../mechanisms/observe/cluster.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { PollResult } from "../../../mechanisms/observe/management/polled-state.ts";
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

/** The cluster that the database names, or the only one there is; why there is none otherwise. */
export function clusterOf({ clusters }: InformerCache, redb: Redb): ClusterRef | Unready {
  const namespace = redb.metadata.namespace ?? "default";
  const name = redb.spec.storeEnterpriseCluster?.name;
  const all = clusters.list().filter(({ metadata }) => metadata.namespace === namespace);
  if (name !== undefined && all.some(({ metadata }) => metadata.name === name)) return { name, namespace };
  const there = all.length === 0 ? "no cluster" : `clusters: ${all.map(({ metadata }) => metadata.name).join(", ")}`;
  const said = name === undefined ? "is not set, and" : `is "${name}", but`;
  const evidence = `spec.storeEnterpriseCluster.name ${said} namespace ${namespace} has ${there}`;
  const only = name === undefined && all.length === 1 ? all[0] : undefined;
  return only === undefined ? notFound(evidence, redb.metadata.name) : { name: only.metadata.name, namespace };
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
    return rec === undefined ? gone(cluster) : readContext(deps, rec);
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

function notFound(evidence: string, database: string): Unready {
  const remedy = `make the cluster, or name one that is there: ${editObject(`redb ${database}`)}`;
  return block("ClusterNotFound", evidence, remedy);
}

function gone({ name }: ClusterRef): ClusterContext {
  const remedy = "make the cluster again: its databases are found in its volumes";
  const unready = block("ClusterNotFound", `the cluster ${name} is gone`, remedy);
  return { suspension: undefined, unready, hasNodes: false, nearby: undefined, means: "", connection: undefined };
}

/** The database as its cluster has it; undefined when it does not, or cannot be asked. */
export function bdbOf(polled: PollResult, { metadata }: Redb): BdbRecord | undefined {
  return "unreachable" in polled ? undefined : polled.bdbs.find(({ name }) => name === metadata.name);
}
