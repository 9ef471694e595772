import { KINDS } from "../../core/api/kinds.ts";
import { LABELS } from "../../core/api/names.ts";
import type { Stored } from "../../ports/kube/kube.ts";
import { controllerOf, keyOf, refOf } from "../../ports/kube/ref.ts";
import type { Connections } from "../../mechanisms/observe/connections.ts";
import type { Copies } from "../../mechanisms/observe/copies.ts";
import type { KeptKind } from "../../mechanisms/reconcile/keeper.ts";
import { clusterOf, type Redb } from "./database/cluster.ts";
import type { Footings } from "./footing.ts";

/** Asks for a pass over the object with this key, at once or after so many milliseconds. */
type Wake = (key: string, afterMs?: number) => void;

/** Where news come from. */
export interface Sources {
  readonly copies: Copies;
  readonly kept: readonly KeptKind[];
  readonly connections: Connections;
  readonly footings: Footings;
}

/** Records change in flocks: a cluster is asked what has become of them once for many. */
const RECORDS_MS = 100;

/** Wakes a cluster when it, its nodes, its records or what is kept for it change. */
export function wakeClusters({ copies, kept }: Sources, wake: Wake): void {
  copies.clusters.onChange((ref) => {
    wake(keyOf(ref));
  });
  copies.databases.onChange((ref, current) => {
    if (current !== undefined) return;
    // a cluster that is being deleted waits for its databases
    for (const { metadata } of copies.clusters.list()) {
      if (metadata.namespace === ref.namespace && metadata.deletionTimestamp !== undefined) wake(keyOf(metadata));
    }
  });
  for (const informer of [copies.statefulSets, copies.nodePods, ...kept.map((kind) => kind.copies)]) {
    informer.onChange((_ref, current, previous) => {
      wakeOwner(wake, current ?? previous);
    });
  }
  copies.records.onChange((_ref, current, previous) => {
    wakeOwner(wake, current ?? previous, RECORDS_MS);
  });
}

function wakeOwner(wake: Wake, object: Stored<object> | undefined, afterMs = 0): void {
  const name = object?.metadata.labels?.[LABELS.cluster];
  if (name !== undefined) wake(keyOf({ name, namespace: object?.metadata.namespace ?? "default" }), afterMs);
}

/** Wakes a database when it changes, when its cluster tells something else of it, and when what it rests on is another. */
export function wakeDatabases({ copies, connections, footings }: Sources, wake: Wake): void {
  copies.databases.onChange((ref) => {
    wake(keyOf(ref));
  });
  copies.clusters.onChange((_ref, current, previous) => {
    if (current === undefined || previous === undefined) wakeThose(copies, wake, () => true);
  });
  connections.onNews(({ namespace }, names) => {
    for (const name of names) wake(keyOf({ name, namespace }));
  });
  footings.onChange((cluster) => {
    wakeThose(copies, wake, (redb) => {
      const its = clusterOf(copies, redb);
      return "reason" in its || keyOf(its) === cluster;
    });
  });
}

/**
 * Wakes remote clusters and Active-Active databases when they change, or what they rest on does. What other participants
 * do is found by asking them.
 */
export function wakeActiveActives(
  { copies, footings }: Sources,
  { activeActive, remoteCluster }: { readonly activeActive: Wake; readonly remoteCluster: Wake },
): void {
  const wakeAll = (): void => {
    for (const { metadata } of copies.remoteClusters.list()) remoteCluster(keyOf(metadata));
    for (const { metadata } of copies.activeActives.list()) activeActive(keyOf(metadata));
  };
  copies.activeActives.onChange((ref, current, previous) => {
    activeActive(keyOf(ref));
    if (current === undefined || previous === undefined) wakeAll();
  });
  copies.remoteClusters.onChange((ref, current, previous) => {
    remoteCluster(keyOf(ref));
    if (current === undefined || previous === undefined) wakeAll();
  });
  copies.databases.onChange((ref, current, previous) => {
    const owner = controllerOf(current ?? previous ?? NOTHING);
    if (owner?.kind === KINDS.activeActive.kind) activeActive(keyOf({ ...ref, name: owner.name }));
  });
  footings.onChange(wakeAll);
}

const NOTHING = { metadata: {} };

function wakeThose({ databases }: Copies, wake: Wake, claim: (redb: Redb) => boolean): void {
  for (const redb of databases.list()) if (claim(redb)) wake(keyOf(refOf(redb)));
}
