import { clusterNames, CREDENTIALS_ANNOTATION } from "../../../core/api/names.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { CLUSTER_NAME_RULES } from "../../../core/planner/admission/cluster.ts";
import { ruleFindings } from "../../../core/planner/admission/objection.ts";
import { block, warn } from "../../../core/planner/findings/finding.ts";
import { secretObjection } from "../../../core/planner/ownership/given-secret.ts";
import { isMarkedAs } from "../../../core/planner/ownership/marks.ts";
import { objectFindings, type FoundObject } from "../../../core/planner/ownership/object-findings.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { AppliedKind, OwnedObject } from "#kit/reconcile/object-applier";
import { SecretVersions, StatefulSets } from "#kit/kube/builtin";
import type { Informer } from "#kit/kube/informer";
import type { Kube, ResourceType, Stored } from "#kit/kube/kube";
import type { GivenDeps } from "../secrets/given.ts";
import { referencesAround } from "../secrets/holders.ts";

/** Whether a cluster may take the names, the accounts and the Secrets that it asks for. */
export interface OwnershipVerdict {
  /** Nothing is written for the cluster while there is one. */
  readonly blocking: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** Its nodes have been made: they are kept in service all the same. */
  readonly isMade: boolean;
  /** The StatefulSet of its name is not its own, as far as is known. */
  readonly isWorkloadForeign: boolean;
  /** The operator may not read the objects: nothing is known of them, and nothing is taken. */
  readonly isUnknown: boolean;
}

export interface OwnershipDeps extends GivenDeps {
  readonly cache: InformerCache;
  /** The kinds that are kept for clusters, as they are followed. */
  readonly applied: readonly AppliedKind[];
}

/**
 * Finds out who owns each object that the cluster is about to take: by marks of this very cluster, never by names alone. Watched objects come
 * from the cache; any other is read from the API, since an object without a cluster's label is not watched.
 */
export async function observeOwnership(
  deps: OwnershipDeps,
  observation: Pick<ClusterObservation, "rec" | "namespace" | "view">,
  owned: readonly OwnedObject[],
): Promise<OwnershipVerdict> {
  const { rec, namespace, view } = observation;
  const { uid } = rec.metadata;
  const found = await findObjects(deps, namespace, namesOf(view.name, owned));
  const workload = found.find(({ kind }) => kind === StatefulSets.kind);
  const isOurs = workload !== undefined && isMarkedAs(workload, uid);
  const isMade = isOurs || view.workload?.presence === "lost";
  const objects = objectFindings({ name: view.name, uid, isMade }, found);
  const credentials = credentialsFinding(deps, observation, isMade);
  const all = [...namesFindings(deps, observation, isMade), ...objects, ...credentials];
  return {
    blocking: all.filter(({ severity }) => severity === "block"),
    warnings: all.filter(({ severity }) => severity !== "block"),
    isMade,
    isWorkloadForeign: workload !== undefined && !isOurs,
    isUnknown: false,
  };
}

/** The verdict of an operator that may not look: it deletes no StatefulSet either. */
export function unknownOwnership(isMade: boolean): OwnershipVerdict {
  return { blocking: [], warnings: [], isMade, isWorkloadForeign: true, isUnknown: true };
}

interface Named {
  readonly type: ResourceType;
  readonly name: string;
}

/** Everything that is written for a cluster. */
function namesOf(cluster: string, owned: readonly OwnedObject[]): readonly Named[] {
  const { credentialsSecret, authoritySecret, nodeTlsSecret } = clusterNames;
  const secrets = [credentialsSecret(cluster), authoritySecret(cluster), nodeTlsSecret(cluster)];
  return [
    ...owned.map(({ type, object }) => ({ type, name: object.metadata.name })),
    { type: StatefulSets, name: cluster },
    ...secrets.map((name) => ({ type: SecretVersions, name })),
  ];
}

async function findObjects(
  { kube, cache, applied }: OwnershipDeps,
  namespace: string,
  names: readonly Named[],
): Promise<readonly FoundObject[]> {
  const followed: readonly AppliedKind[] = [
    ...applied,
    { type: StatefulSets, cache: cache.statefulSets },
    { type: SecretVersions, cache: cache.secrets },
  ];
  const found = await Promise.all(
    names.map(async ({ type, name }) => {
      const copies: Informer<object> | undefined = followed.find((one) => one.type.plural === type.plural)?.cache;
      const object = copies?.get({ name, namespace }) ?? (await readNamed(kube, { type, name }, namespace));
      return object === undefined ? [] : [foundObject(type.kind, object)];
    }),
  );
  return found.flat();
}

/** The operator may list all of these kinds, and get few. */
async function readNamed(kube: Kube, { type, name }: Named, namespace: string): Promise<Stored<object> | undefined> {
  return (await kube.list(type, { namespace, fieldSelector: `metadata.name=${name}` })).items[0];
}

function foundObject(kind: string, { metadata }: Stored<object>): FoundObject {
  const { name, labels, annotations, ownerReferences } = metadata;
  return { kind, name, labels, annotations, ownerReferences };
}

/** Of two clusters that want one name or account, the one that was there first has it. */
function namesFindings(
  { cache }: OwnershipDeps,
  { rec, namespace, view }: Pick<ClusterObservation, "rec" | "namespace" | "view">,
  isMade: boolean,
): readonly Finding[] {
  const references = referencesAround(cache, namespace, (other) => isBefore(other, rec));
  const atRest = { before: undefined, tags: [], askedSize: undefined, growthRefusal: undefined };
  const facts = { name: view.name, spec: view.spec, nodes: isMade ? 1 : 0, references };
  return ruleFindings(CLUSTER_NAME_RULES, { ...atRest, ...facts }, `rec ${facts.name}`);
}

function isBefore(other: Stored<object>, one: Stored<object>): boolean {
  const ageOf = ({ metadata }: Stored<object>): string => `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
  return ageOf(other) < ageOf(one);
}

/** Nodes have the Secret mounted that the spec names: its owner gives it, or it was in use when a release began that asks for that. */
function credentialsFinding(
  { cache, holderOf }: OwnershipDeps,
  { namespace, view }: Pick<ClusterObservation, "namespace" | "view">,
  isMade: boolean,
): readonly Finding[] {
  const name = view.spec.clusterCredentialSecretName;
  if (name === undefined || name === clusterNames.credentialsSecret(view.name)) return [];
  const use = { kind: "credentials", cluster: view.name } as const;
  const { metadata } = cache.secrets.get({ name, namespace }) ?? {};
  const held = holderOf({ name, namespace }, use)?.holder;
  // a login is never taken by its form: what a Secret holds says nothing here
  const objection =
    metadata === undefined && held === undefined
      ? undefined
      : secretObjection({ ...metadata, name, type: undefined, keys: [] }, use, held);
  if (objection === undefined) return [];
  const tls = cache.secrets.get({ name: clusterNames.nodeTlsSecret(view.name), namespace });
  const evidence = `spec.clusterCredentialSecretName: ${objection.evidence}`;
  if (objection.id === "SecretNotMarked" && isMade && showsLoginOf(tls, name))
    return [warn("SecretNotMarked", evidence, objection.remedy)];
  return [block("SecretNotMarked", evidence, objection.remedy)];
}

/** The Secret of the nodes notes that the login of that Secret is in use; those of older operators note nothing. */
function showsLoginOf(tls: Stored<object> | undefined, name: string): boolean {
  if (tls === undefined) return false;
  const used = tls.metadata.annotations?.[CREDENTIALS_ANNOTATION];
  return used === undefined || used === name;
}
