import { clusterNames, LABELS } from "../../../core/api/names.ts";
import { NetworkPolicies } from "#kit/kube/builtin";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { ObjectApplier, OwnedObject } from "#kit/reconcile/object-applier";
import type { Callers } from "../objects/network-policy.ts";
import { ownedObjects } from "../objects/owned.ts";
import type { OwnSecrets } from "./own-secrets.ts";

/** Who calls the management APIs of a namespace; undefined while that is not known. */
export type FindCallers = () => Callers | undefined;

/** With what the objects of a cluster are kept. */
export interface OwnedObjectsDeps {
  readonly applier: ObjectApplier;
  readonly callers: FindCallers;
  readonly ownSecrets: OwnSecrets;
  readonly cache: Pick<InformerCache, "statefulSets" | "nodePods">;
}

/** Where there is a remote cluster, operators of other sites call as well; `operator` is the namespace of this one. */
export function callersIn({ remoteClusters }: InformerCache, namespace: string, operator: string): FindCallers {
  let isKnown = false;
  remoteClusters.synced.then(
    () => (isKnown = true),
    () => undefined, // ended before
  );
  return () => {
    if (!isKnown) return undefined;
    const elsewhere = remoteClusters.list().some(({ metadata }) => metadata.namespace === namespace);
    return { operator, elsewhere };
  };
}

/** Writes what the cluster has of its own, and takes back what it is not to have any more. */
export async function keepOwned(deps: OwnedObjectsDeps, observation: ClusterObservation): Promise<void> {
  const { applier } = deps;
  const { view, namespace } = observation;
  await syncedOwnership(deps);
  await applier.keep(ownedOf(deps, observation), lacksGrants(observation));
  if (view.spec.networkPolicy.enabled) return;
  await applier.drop(NetworkPolicies, { name: clusterNames.networkPolicy(view.name), namespace });
}

/** Whether `keepOwned` would write and take back nothing. */
export function isOwnedKept(deps: OwnedObjectsDeps, observation: ClusterObservation): boolean {
  const { view, namespace } = observation;
  const policy = { name: clusterNames.networkPolicy(view.name), namespace };
  const isDropped = view.spec.networkPolicy.enabled || deps.applier.isDropped(NetworkPolicies, policy);
  return isDropped && deps.applier.isKept(ownedOf(deps, observation));
}

/** Resolves when everything that says what a cluster is to have is known. */
export async function syncedOwnership({ ownSecrets, cache }: Pick<OwnedObjectsDeps, "ownSecrets" | "cache">) {
  await Promise.all([ownSecrets.synced, cache.statefulSets.synced, cache.nodePods.synced]);
}

/** What the cluster has of its own, as it is to be now. */
export function ownedOf(
  { callers, ownSecrets, cache }: OwnedObjectsDeps,
  observation: ClusterObservation,
): readonly OwnedObject[] {
  const { names: secrets, hasOlderNodes } = ownSecrets.of(observation);
  return ownedObjects(observation, {
    callers: mayKeepPolicies(observation) ? callers() : undefined,
    secrets,
    hasOlderNodes,
    accounts: accountsInUse(cache, observation),
  });
}

/** The accounts of the pods that run, and of the pods that the StatefulSet makes until it is written again. */
function accountsInUse(
  { statefulSets, nodePods }: OwnedObjectsDeps["cache"],
  { namespace, view: { name } }: ClusterObservation,
): readonly string[] {
  const template = statefulSets.get({ name, namespace })?.spec?.template;
  const pods = nodePods
    .list()
    .filter(({ metadata }) => metadata.namespace === namespace && metadata.labels?.[LABELS.cluster] === name);
  const used = [template, ...pods].flatMap((one) => one?.spec?.serviceAccountName ?? []);
  return [...new Set(used)].toSorted((one, other) => one.localeCompare(other, "en"));
}

/** The Role of an operator of an older release does not speak of network policies. */
function mayKeepPolicies({ environment: { permissions } }: ClusterObservation): boolean {
  const lacking = permissions?.read === true ? permissions.value : [];
  return !lacking.some(({ who, resource }) => who === "operator" && resource === "networkpolicies");
}

/** A permission of nodes or rigger was removed. */
function lacksGrants({ environment: { permissions } }: ClusterObservation): boolean {
  return permissions?.read === true && permissions.value.some(({ who }) => who !== "operator");
}
