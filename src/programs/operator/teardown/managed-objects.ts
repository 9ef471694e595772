import { isFault } from "#kit/base/fault";
import { FINALIZERS } from "../../../core/api/kinds.ts";
import type { EventRecorder } from "#kit/kube/events";
import { faults } from "#kit/kube/faults";
import type { Informer } from "#kit/kube/informer";
import type { Kube, ResourceType, Stored } from "#kit/kube/kube";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import {
  ActiveActiveDatabases,
  Clusters,
  Databases,
  RemoteClusters,
} from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { removeFinalizer } from "../objects/finalizer.ts";

export type ManagedKinds = Pick<InformerCache, "clusters" | "databases" | "activeActives" | "remoteClusters">;

interface ManagedKind {
  readonly type: ResourceType;
  readonly finalizer: string;
  readonly cached: (cache: ManagedKinds) => Informer<object>;
}

/** The kinds with a finalizer of the operator, in the order in which it is removed. */
const MANAGED_KINDS: readonly ManagedKind[] = [
  { type: ActiveActiveDatabases, finalizer: FINALIZERS.activeActive, cached: ({ activeActives }) => activeActives },
  { type: RemoteClusters, finalizer: FINALIZERS.remoteCluster, cached: ({ remoteClusters }) => remoteClusters },
  { type: Databases, finalizer: FINALIZERS.database, cached: ({ databases }) => databases },
  { type: Clusters, finalizer: FINALIZERS.cluster, cached: ({ clusters }) => clusters },
];

export interface FinalizerRemoval {
  readonly kube: Kube;
  readonly events: EventRecorder;
  readonly signal: AbortSignal;
}

/** Whether the informer cache has an object of the product. */
export function hasCachedObjects(cache: ManagedKinds): boolean {
  return MANAGED_KINDS.some(({ cached }) => cached(cache).list().length > 0);
}

/** Whether the API server has an object of the product in one of the namespaces. */
export async function hasObjects(kube: Kube, namespaces: readonly string[]): Promise<boolean> {
  for (const namespace of namespaces) {
    for (const { type } of MANAGED_KINDS) if ((await listIfDefined(kube, type, namespace)).length > 0) return true;
  }
  return false;
}

/** Removes the operator's finalizers from every object of the namespace, and records an event on each; throws once the signal has aborted. */
export async function removeFinalizersIn(removal: FinalizerRemoval, namespace: string): Promise<void> {
  for (const kind of MANAGED_KINDS) await removeFinalizersOf(kind, removal, namespace);
}

const DELETED = {
  type: "Warning",
  reason: "OperatorDeleted",
  message:
    "the operator was deleted and removed its finalizer without touching data: volumes, records and passwords stay; " +
    "the same objects under a new operator find them again",
} as const;

async function removeFinalizersOf(
  { type, finalizer }: ManagedKind,
  { kube, events, signal }: FinalizerRemoval,
  namespace: string,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const objects = await listIfDefined(kube, type, namespace);
    const left = objects.filter(({ metadata }) => metadata.finalizers?.includes(finalizer));
    if (left.length === 0) return;
    for (const object of left) {
      await unlessChanged(events.recordAhead(object, [DELETED], () => removeFinalizer(kube, type, object, finalizer)));
    }
  }
}

/** The object may be changed or deleted at the same moment: the next list shows what it is then. */
async function unlessChanged(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!isFault(error, faults.conflict) && !isFault(error, faults.notFound)) throw error;
  }
}

/** Empty when the definition of the kind is gone already. */
async function listIfDefined<T>(kube: Kube, type: ResourceType<T>, namespace: string): Promise<readonly Stored<T>[]> {
  try {
    return (await kube.list(type, { namespace })).items;
  } catch (error) {
    if (isFault(error, faults.notFound)) return [];
    throw error;
  }
}
