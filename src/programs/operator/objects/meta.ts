import type { ObjectMeta } from "kubernetes-types/meta/v1.js";
import type { ClusterSpec } from "../../../core/api/cluster-spec.ts";
import { APP_LABEL, isProductKey, LABELS, podSelector } from "../../../core/api/names.ts";
import type { Stored } from "#kit/kube/kube";
import { ownerReference } from "#kit/kube/ref";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";

/** What the objects of a cluster are made from. */
export type Owner = Pick<ClusterObservation, "rec" | "namespace" | "view">;

/** As much of it as metadata are made from. */
export interface NamedOwner {
  readonly rec: Stored<object>;
  readonly namespace: string;
  readonly view: { readonly name: string; readonly spec: Pick<ClusterSpec, "extraLabels"> };
}

/** Labels of everything that belongs to a cluster; `role` tells its parts apart. */
export function labelsOf({ view }: Pick<NamedOwner, "view">, role?: string): Record<string, string> {
  return {
    ...ofUser(view.spec.extraLabels),
    [LABELS.app]: APP_LABEL,
    [LABELS.cluster]: view.name,
    ...(role === undefined ? {} : { [LABELS.role]: role }),
  };
}

/** Without what marks an object as one of another cluster or database. */
export function ofUser(texts: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([key]) => !isProductKey(key)));
}

/** What pods of the role `role` are selected by; never changes. */
export function selectorOf({ view }: Owner, role: string): Record<string, string> {
  return podSelector(view.name, role);
}

/** Metadata of an object that goes away with its cluster. */
export function ownedMeta(
  owner: NamedOwner,
  name: string,
  role?: string,
): ObjectMeta & { name: string; namespace: string } {
  return {
    name,
    namespace: owner.namespace,
    labels: labelsOf(owner, role),
    ownerReferences: [ownerReference(owner.rec)],
  };
}
