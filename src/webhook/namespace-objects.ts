import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { startInformer } from "../kube/informer.ts";
import type { Kube, ResourceType, Stored } from "../kube/kube.ts";
import type { NamespaceObjects } from "../observe/neighbours.ts";
import { ActiveActiveDatabases, Clusters, Databases, RemoteClusters } from "../observe/kinds.ts";

/** What is known of the namespaces that are looked after. */
export interface Lookout {
  readonly synced: Promise<unknown>;
  watches(namespace: string): boolean;
  /** From memory: at once, and a moment old. */
  known(namespace: string): NamespaceObjects;
  /** From the API server: as it is now. */
  read(namespace: string): Promise<NamespaceObjects>;
}

export interface LookoutOptions {
  readonly namespaces: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Follows the objects of ours in `namespaces`. */
export function startLookout(kube: Kube, { namespaces, ...options }: LookoutOptions): Lookout {
  const followed = new Map(namespaces.map((namespace) => [namespace, follow(kube, { ...options, namespace })]));
  return {
    synced: Promise.all([...followed.values()].map(({ synced }) => synced)),
    watches: (namespace) => followed.has(namespace),
    known: (namespace) => followed.get(namespace)?.known() ?? NONE,
    read: async (namespace) => {
      const list = async <T>(type: ResourceType<T>): Promise<readonly Stored<T>[]> =>
        (await kube.list(type, { namespace })).items;
      const [clusters, databases, activeActives, remoteClusters] = await Promise.all([
        list(Clusters),
        list(Databases),
        list(ActiveActiveDatabases),
        list(RemoteClusters),
      ]);
      return { clusters, databases, activeActives, remoteClusters };
    },
  };
}

const NONE: NamespaceObjects = { clusters: [], databases: [], activeActives: [], remoteClusters: [] };

function follow(kube: Kube, options: Omit<LookoutOptions, "namespaces"> & { readonly namespace: string }) {
  const clusters = startInformer(kube, Clusters, options);
  const databases = startInformer(kube, Databases, options);
  const activeActives = startInformer(kube, ActiveActiveDatabases, options);
  const remoteClusters = startInformer(kube, RemoteClusters, options);
  return {
    synced: Promise.all([clusters.synced, databases.synced, activeActives.synced, remoteClusters.synced]),
    known: (): NamespaceObjects => ({
      clusters: clusters.list(),
      databases: databases.list(),
      activeActives: activeActives.list(),
      remoteClusters: remoteClusters.list(),
    }),
  };
}
