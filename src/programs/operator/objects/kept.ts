import { LABELS } from "../../../core/api/names.ts";
import {
  Deployments,
  NetworkPolicies,
  PodDisruptionBudgets,
  RoleBindings,
  Roles,
  ServiceAccounts,
  Services,
} from "#kit/kube/builtin";
import { startInformer, type InformerOptions } from "#kit/kube/informer";
import type { Kube, ResourceType } from "#kit/kube/kube";
import type { FindAccount } from "../../../mechanisms/observe/kubernetes/former-account.ts";
import type { AppliedKind } from "#kit/reconcile/object-applier";

const KINDS: readonly ResourceType[] = [
  Services,
  ServiceAccounts,
  Roles,
  RoleBindings,
  PodDisruptionBudgets,
  Deployments,
  NetworkPolicies,
];

/** Follows the objects that are kept for clusters, see `ownedObjects`; those of databases are the rigger's. */
export function watchApplied(kube: Kube, options: InformerOptions): readonly AppliedKind[] {
  const labelSelector = `${LABELS.cluster},!${LABELS.database}`;
  return KINDS.map((type) => ({ type, cache: startInformer(kube, type, { ...options, labelSelector }) }));
}

/** When the accounts were made that are kept for clusters. */
export function accountsIn(applied: readonly AppliedKind[]): FindAccount {
  const accounts = applied.find(({ type }) => type === ServiceAccounts)?.cache;
  return (account) => accounts?.get(account)?.metadata.creationTimestamp;
}
