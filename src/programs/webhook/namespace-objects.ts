import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { startInformer } from "#kit/kube/informer";
import type { Kube } from "#kit/kube/kube";
import { readNamespaceObjects, type NamespaceObjects } from "../../mechanisms/observe/kubernetes/references.ts";
import type { WatchedNamespaces } from "../../mechanisms/observe/kubernetes/watched-namespaces.ts";
import { sharedReads } from "./shared-reads.ts";
import {
  ActiveActiveDatabases,
  Clusters,
  Databases,
  RemoteClusters,
} from "../../mechanisms/observe/kubernetes/kinds.ts";

/** The objects of the product in the watched namespaces. */
export interface ObjectLookup {
  watches(namespace: string): boolean;
  /** From the informer cache, which may be late; undefined until it has synced. */
  cached(namespace: string): NamespaceObjects | undefined;
  /** From the API server: as it is now. */
  read(namespace: string): Promise<NamespaceObjects>;
}

export interface ObjectLookupOptions {
  readonly watched: WatchedNamespaces;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Follows the objects of the product in every watched namespace. */
export function startObjectLookup(kube: Kube, { watched, ...options }: ObjectLookupOptions): ObjectLookup {
  const followed = new Map<string, Followed>();
  const follow = (): void => {
    const names = watched.names();
    for (const [name, { end }] of followed) {
      if (names.includes(name)) continue;
      end();
      followed.delete(name);
    }
    for (const name of names) if (!followed.has(name)) followed.set(name, followNamespace(kube, options, name));
  };
  watched.onChange(follow);
  follow();
  return {
    watches: (namespace) => followed.has(namespace),
    cached: (namespace) => followed.get(namespace)?.cached(),
    // anyone may send what is refused, and each refusal asks for a read
    read: sharedReads((namespace) => readNamespaceObjects(kube, namespace)),
  };
}

interface Followed {
  cached(): NamespaceObjects | undefined;
  end(): void;
}

type FollowOptions = Omit<ObjectLookupOptions, "watched">;

function followNamespace(kube: Kube, { clock, log, signal }: FollowOptions, namespace: string): Followed {
  const over = new AbortController();
  const options = { namespace, clock, log, signal: AbortSignal.any([signal, over.signal]) };
  const clusters = startInformer(kube, Clusters, options);
  const databases = startInformer(kube, Databases, options);
  const activeActives = startInformer(kube, ActiveActiveDatabases, options);
  const remoteClusters = startInformer(kube, RemoteClusters, options);
  let isSynced = false;
  void Promise.all([clusters.synced, databases.synced, activeActives.synced, remoteClusters.synced]).then(
    () => {
      isSynced = true;
    },
    () => undefined, // ended before
  );
  return {
    cached: () =>
      isSynced
        ? {
            clusters: clusters.list(),
            databases: databases.list(),
            activeActives: activeActives.list(),
            remoteClusters: remoteClusters.list(),
          }
        : undefined,
    end: () => {
      over.abort(new Error("the namespace is no longer watched"));
    },
  };
}
