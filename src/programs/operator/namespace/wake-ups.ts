import type { ObjectMeta } from "kubernetes-types/meta/v1.js";
import { KINDS } from "../../../core/api/kinds.ts";
import { BACKUP_SCHEDULE_LABEL, LABELS } from "../../../core/api/names.ts";
import type { Stored } from "#kit/kube/kube";
import { controllerOf, keyOf, refOf } from "#kit/kube/ref";
import type { Connections } from "../../../mechanisms/observe/management/connections.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { AppliedKind } from "#kit/reconcile/object-applier";
import { accessSecrets } from "../cluster/access.ts";
import { clusterOf, type Redb } from "../database/cluster.ts";
import { readsForTls } from "../database/certificate.ts";
import { secretNameOf } from "../database/secret-verdict.ts";
import type { ClusterContexts } from "../context/cluster-context.ts";

/** Asks for a pass over the object with this key, at once or after so many milliseconds. */
type Wake = (key: string, afterMs?: number) => void;

/** Where news come from. */
export interface Sources {
  readonly cache: InformerCache;
  readonly applied: readonly AppliedKind[];
  readonly connections: Connections;
  readonly contexts: ClusterContexts;
}

/** Records change in flocks: a cluster is asked what has become of them once for many. */
const RECORDS_MS = 100;

/** Wakes a cluster when it, its nodes, its records or what is kept for it change. */
export function wakeClusters({ cache, applied }: Sources, wake: Wake): void {
  cache.clusters.onChange((ref) => {
    wake(keyOf(ref));
  });
  cache.databases.onChange((ref, current) => {
    if (current !== undefined) return;
    // a cluster that is being deleted waits for its databases
    for (const { metadata } of cache.clusters.list()) {
      if (metadata.namespace === ref.namespace && metadata.deletionTimestamp !== undefined) wake(keyOf(metadata));
    }
  });
  for (const informer of [cache.statefulSets, cache.nodePods, ...applied.map((kind) => kind.cache)]) {
    informer.onChange((_ref, current, previous) => {
      wakeOwner(wake, current ?? previous);
    });
  }
  cache.records.onChange((_ref, current, previous) => {
    wakeOwner(wake, current ?? previous, RECORDS_MS);
  });
  cache.secrets.onChange(({ name, namespace }, current, previous) => {
    // it may be one that was there for nodes
    if (current === undefined) wakeOwner(wake, previous);
    for (const { metadata, spec } of cache.clusters.list())
      if (metadata.namespace === namespace && accessSecrets(metadata.name, spec).includes(name)) wake(keyOf(metadata));
  });
}

function wakeOwner(wake: Wake, object: Stored<object> | undefined, afterMs = 0): void {
  const name = object?.metadata.labels?.[LABELS.cluster];
  if (name !== undefined) wake(keyOf({ name, namespace: object?.metadata.namespace ?? "default" }), afterMs);
}

/** Wakes a database when it changes, when its cluster reports a change of it, and when what it depends on changes. */
export function wakeDatabases({ cache, connections, contexts }: Sources, wake: Wake): void {
  cache.databases.onChange((ref) => {
    wake(keyOf(ref));
  });
  cache.clusters.onChange((_ref, current, previous) => {
    if (current === undefined || previous === undefined) wakeThose(cache, wake, () => true);
  });
  cache.secrets.onChange(({ name, namespace }) => {
    wakeThose(cache, wake, (redb) => {
      const its = clusterOf(cache, redb);
      const isRead = secretNameOf(redb) === name || readsForTls(redb, "id" in its ? "" : its.name, name);
      return isRead && redb.metadata.namespace === namespace;
    });
  });
  cache.services.onChange((ref, current, previous) => {
    if (current === undefined || previous === undefined) wake(keyOf(ref));
  });
  // those that ask for one, those that may ask for none any more, and those whose schedule changes
  void cache.backupSchedules.synced.then(
    () => {
      const hasNamesake = (redb: Redb): boolean => cache.backupSchedules.get(refOf(redb)) !== undefined;
      wakeThose(cache, wake, (redb) => redb.spec.backup !== undefined || hasNamesake(redb));
      cache.backupSchedules.onChange((ref) => {
        if (cache.databases.get(ref) !== undefined) wake(keyOf(ref));
      });
    },
    () => undefined, // ended before
  );
  connections.onChange(({ namespace }, names) => {
    for (const name of names) wake(keyOf({ name, namespace }));
  });
  contexts.onChange((cluster) => {
    wakeThose(cache, wake, (redb) => {
      const its = clusterOf(cache, redb);
      return "id" in its || keyOf(its) === cluster;
    });
  });
}

/**
 * Wakes remote clusters and Active-Active databases when they change, or what they rest on does. What other participants
 * do is found by asking them.
 */
export function wakeActiveActives(
  { cache, contexts }: Sources,
  { activeActive, remoteCluster }: { readonly activeActive: Wake; readonly remoteCluster: Wake },
): void {
  const wakeAll = (): void => {
    for (const { metadata } of cache.remoteClusters.list()) remoteCluster(keyOf(metadata));
    for (const { metadata } of cache.activeActives.list()) activeActive(keyOf(metadata));
  };
  cache.activeActives.onChange((ref, current, previous) => {
    activeActive(keyOf(ref));
    if (current === undefined || previous === undefined) wakeAll();
  });
  cache.remoteClusters.onChange((ref, current, previous) => {
    remoteCluster(keyOf(ref));
    if (current === undefined || previous === undefined) wakeAll();
  });
  cache.databases.onChange((ref, current, previous) => {
    const owner = controllerOf(current ?? previous ?? NOTHING);
    if (owner?.kind === KINDS.activeActive.kind) activeActive(keyOf({ ...ref, name: owner.name }));
  });
  contexts.onChange(wakeAll);
}

/** Wakes a schedule when it or one of its backups changes, once all is known: a backup that is under way must be seen, and a restore that reads one. */
export function wakeSchedules(cache: InformerCache, wake: Wake): void {
  const { backups, backupSchedules, restores, clusters, databases } = cache;
  void Promise.all([backups, backupSchedules, restores, clusters, databases].map(({ synced }) => synced)).then(
    () => {
      backupSchedules.onChange((ref) => {
        wake(keyOf(ref));
      });
      backups.onChange(({ namespace = "default" }, current, previous) => {
        const name = (current ?? previous ?? NOTHING).metadata.labels?.[BACKUP_SCHEDULE_LABEL];
        if (name !== undefined) wake(keyOf({ name, namespace }));
      });
    },
    () => undefined, // ended before
  );
}

const NOTHING: { readonly metadata: ObjectMeta } = { metadata: {} };

function wakeThose({ databases }: InformerCache, wake: Wake, claim: (redb: Redb) => boolean): void {
  for (const redb of databases.list()) if (claim(redb)) wake(keyOf(refOf(redb)));
}
