import type { Clock } from "../../../../controller-kit/src/base/clock.ts";
import type { Log } from "../../../../controller-kit/src/base/log.ts";
import * as builtin from "../../../../controller-kit/src/kube/builtin.ts";
import { startInformer, type Informer } from "../../../../controller-kit/src/kube/informer.ts";
import type { Kube, ResourceType } from "../../../../controller-kit/src/kube/kube.ts";
import { controllerOf, keyOf, refOf } from "../../../../controller-kit/src/kube/ref.ts";
import type { Enqueue } from "./enqueue.ts";

/** The kinds that more than one controller follows. */
const FOLLOWED = {
  pods: builtin.Pods,
  services: builtin.Services,
  claims: builtin.PersistentVolumeClaims,
  volumes: builtin.PersistentVolumes,
  endpoints: builtin.Endpoints,
  endpointSlices: builtin.EndpointSlices,
  deployments: builtin.Deployments,
  replicaSets: builtin.ReplicaSets,
  statefulSets: builtin.StatefulSets,
  jobs: builtin.Jobs,
  disruptionBudgets: builtin.PodDisruptionBudgets,
  definitions: builtin.CustomResourceDefinitions,
} as const;

type Followed = typeof FOLLOWED;

/** One informer a kind, shared by all controllers. */
export type Informers = {
  readonly [Name in keyof Followed]: Followed[Name] extends ResourceType<infer T> ? Informer<T> : never;
};

/** An informer together with the type that it follows. */
export interface TypedInformer {
  readonly type: ResourceType<object>;
  readonly informer: Informer<object>;
}

/** Starts them all. */
export function startInformers(kube: Kube, options: { clock: Clock; log: Log; signal: AbortSignal }): Informers {
  const start = <T>(type: ResourceType<T>): Informer<T> => startInformer(kube, type, options);
  return {
    pods: start(FOLLOWED.pods),
    services: start(FOLLOWED.services),
    claims: start(FOLLOWED.claims),
    volumes: start(FOLLOWED.volumes),
    endpoints: start(FOLLOWED.endpoints),
    endpointSlices: start(FOLLOWED.endpointSlices),
    deployments: start(FOLLOWED.deployments),
    replicaSets: start(FOLLOWED.replicaSets),
    statefulSets: start(FOLLOWED.statefulSets),
    jobs: start(FOLLOWED.jobs),
    disruptionBudgets: start(FOLLOWED.disruptionBudgets),
    definitions: start(FOLLOWED.definitions),
  };
}

/** The shared informers with their types, for controllers that work on every kind. */
export function typedInformers(informers: Informers): TypedInformer[] {
  const names = Object.keys(FOLLOWED).filter((name): name is keyof Followed => name in FOLLOWED);
  return names.map((name) => ({ type: FOLLOWED[name], informer: informers[name] }));
}

/** Enqueues each object that changes. */
export function enqueueChanged<T>(informer: Informer<T>, enqueue: Enqueue): void {
  informer.onChange((ref) => {
    enqueue(keyOf(ref));
  });
}

/** Enqueues the managing owner, of the kind `kind`, of each object that changes. */
export function enqueueOwner<T>(informer: Informer<T>, kind: string, enqueue: Enqueue): void {
  informer.onChange((_, current, previous) => {
    const object = current ?? previous;
    const owner = object === undefined ? undefined : controllerOf(object);
    if (object === undefined || owner?.kind !== kind) return;
    enqueue(keyOf({ ...refOf(object), name: owner.name }));
  });
}
