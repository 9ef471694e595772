import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import type { Pod } from "kubernetes-types/core/v1.js";
import { clusterNames, LABELS } from "../../../core/api/names.ts";
import { Pods, StatefulSets } from "#kit/kube/builtin";
import type { Kube, Ref, Stored } from "#kit/kube/kube";
import { readGrowingVolumes } from "./claims.ts";
import type { ClusterEnvironment } from "../../../core/planner/prerequisites/environment.ts";
import type { InformerCache } from "./informer-cache.ts";

/** The Kubernetes objects that a decision about a cluster reads. */
export interface ClusterReads {
  statefulSet(cluster: ClusterRef): Promise<Stored<StatefulSet> | undefined>;
  /** In the order of their ordinals. */
  nodePods(cluster: ClusterRef): Promise<readonly Stored<Pod>[]>;
  /** Pods that have the names of the nodes of these ordinals, whatever their labels are; none when that would take requests. */
  podsNamed(cluster: ClusterRef, ordinals: readonly number[]): Promise<readonly Stored<Pod>[]>;
  /** Volumes of the nodes, and whether they may grow to `size`; undefined when that would take requests. */
  volumes(cluster: ClusterRef, size: string | undefined): Promise<ClusterEnvironment["volumes"]>;
}

export type ClusterRef = Ref & { readonly namespace: string };

/** Reads what is stored now. */
export function liveReads(kube: Kube): ClusterReads {
  return {
    statefulSet: (cluster) => kube.get(StatefulSets, cluster),
    nodePods: async ({ name, namespace }) => {
      const labelSelector = `${LABELS.cluster}=${name},${LABELS.role}=node`;
      return inOrder((await kube.list(Pods, { namespace, labelSelector })).items);
    },
    podsNamed: async ({ name, namespace }, ordinals) => {
      const named = ordinals.map((ordinal) => `metadata.name=${clusterNames.nodePod(name, ordinal + 1)}`);
      const lists = named.map((fieldSelector) => kube.list(Pods, { namespace, fieldSelector }));
      return (await Promise.all(lists)).flatMap(({ items }) => items);
    },
    volumes: (cluster, size) => readGrowingVolumes(kube, cluster, size),
  };
}

/** Reads what the informers have; sends no request. */
export function cachedReads({ statefulSets, nodePods }: InformerCache): ClusterReads {
  return {
    statefulSet: async (cluster) => statefulSets.get(cluster),
    nodePods: async ({ name, namespace }) =>
      inOrder(
        nodePods
          .list()
          .filter(({ metadata }) => metadata.namespace === namespace && metadata.labels?.[LABELS.cluster] === name),
      ),
    podsNamed: async () => [],
    volumes: async () => undefined,
  };
}

function inOrder(pods: readonly Stored<Pod>[]): readonly Stored<Pod>[] {
  return pods.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name, "en", { numeric: true }));
}
