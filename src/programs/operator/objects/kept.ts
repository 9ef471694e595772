import { LABELS } from "../../../core/api/names.ts";
import {
  Deployments,
  PodDisruptionBudgets,
  RoleBindings,
  Roles,
  ServiceAccounts,
  Services,
} from "../../../ports/kube/builtin.ts";
import { startInformer, type InformerOptions } from "../../../ports/kube/informer.ts";
import type { Kube, ResourceType } from "../../../ports/kube/kube.ts";
import type { KeptKind } from "../../../mechanisms/reconcile/keeper.ts";

const KINDS: readonly ResourceType[] = [
  Services,
  ServiceAccounts,
  Roles,
  RoleBindings,
  PodDisruptionBudgets,
  Deployments,
];

/** Follows the objects that are kept for clusters, see `ownedObjects`; those of databases are the rigger's. */
export function followKept(kube: Kube, options: InformerOptions): readonly KeptKind[] {
  const labelSelector = `${LABELS.cluster},!${LABELS.database}`;
  return KINDS.map((type) => ({ type, copies: startInformer(kube, type, { ...options, labelSelector }) }));
}
