import type { Clock } from "../../../core/base/clock.ts";
import type { StoreEnterpriseCluster, StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import type { Stored } from "../../../ports/kube/kube.ts";
import { keyOf } from "../../../ports/kube/ref.ts";
import type { BdbRecord } from "../../../ports/management/records.ts";
import {
  observeCluster,
  readClusterSpec,
  readsOfServer,
  type ClusterRef,
  type ObserveDeps,
} from "../../../mechanisms/observe/cluster.ts";
import type { Copies } from "../../../mechanisms/observe/copies.ts";
import type { Heard } from "../../../mechanisms/observe/hearing.ts";
import { Clusters } from "../../../mechanisms/observe/kinds.ts";
import { planCluster } from "../../../core/planner/cluster/plan.ts";
import { footingOf, invalidFooting, type Footing, type Footings, type Unready } from "../footing.ts";

/** A StoreEnterpriseDatabase as it is stored. */
export type Redb = Stored<StoreEnterpriseDatabase>;

/** The cluster that the database names, or the only one there is; why there is none otherwise. */
export function clusterOf({ clusters }: Copies, redb: Redb): ClusterRef | Unready {
  const namespace = redb.metadata.namespace ?? "default";
  const name = redb.spec.storeEnterpriseCluster?.name;
  const all = clusters.list().filter(({ metadata }) => metadata.namespace === namespace);
  if (name !== undefined && all.some(({ metadata }) => metadata.name === name)) return { name, namespace };
  const there = all.length === 0 ? "no cluster" : `clusters: ${all.map(({ metadata }) => metadata.name).join(", ")}`;
  const said = name === undefined ? "is not set, and" : `is "${name}", but`;
  const message = `spec.storeEnterpriseCluster.name ${said} namespace ${namespace} has ${there}`;
  const only = name === undefined && all.length === 1 ? all[0] : undefined;
  return only === undefined ? { reason: "ClusterNotFound", message } : { name: only.metadata.name, namespace };
}

/** What acts rest on is read anew, once a second however many databases are acted on. */
const FRESH_MS = 1_000;

/**
 * Reads what databases of a cluster rest on from the API server and the cluster itself, not from copies; never as it was
 * before the last change that was heard of.
 */
export function freshFootings(
  deps: ObserveDeps & { readonly clock: Clock; readonly footings: Footings },
): (cluster: ClusterRef) => Promise<Footing> {
  const looks = new Map<string, { readonly at: number; readonly footing: Promise<Footing> }>();
  deps.footings.onChange((cluster) => {
    looks.delete(cluster);
  });
  const look = async (cluster: ClusterRef): Promise<Footing> => {
    const rec = await deps.kube.get(Clusters, cluster);
    return rec === undefined ? gone(cluster) : footingFrom(deps, rec);
  };
  return (cluster) => {
    const key = keyOf(cluster);
    const now = deps.clock.now().getTime();
    const known = looks.get(key);
    if (known !== undefined && now - known.at < FRESH_MS) return known.footing;
    const footing = look(cluster);
    looks.set(key, { at: now, footing });
    footing.catch(() => {
      if (looks.get(key)?.footing === footing) looks.delete(key); // whoever asked is told
    });
    return footing;
  };
}

async function footingFrom(deps: ObserveDeps, rec: Stored<StoreEnterpriseCluster>): Promise<Footing> {
  const spec = readClusterSpec(rec);
  if (typeof spec === "string") return invalidFooting(rec.metadata.name, spec);
  const observation = await observeCluster(deps, readsOfServer(deps.kube), rec, spec, FRESH_MS);
  const { view, around } = observation;
  return footingOf(observation, planCluster(view, view.workload?.template ?? "", around).suspension);
}

function gone({ name }: ClusterRef): Footing {
  const unready = { reason: "ClusterNotFound", message: `the cluster ${name} is gone` } as const;
  return { suspension: undefined, unready, hasNodes: false, nearby: undefined, means: "", connection: undefined };
}

/** The database as its cluster has it; undefined when it does not, or cannot be asked. */
export function bdbOf(heard: Heard, { metadata }: Redb): BdbRecord | undefined {
  return "unreachable" in heard ? undefined : heard.bdbs.find(({ name }) => name === metadata.name);
}
