import type { ObjectMeta, OwnerReference } from "kubernetes-types/meta/v1.js";
import type { Ref, Stored } from "./kube.ts";

/** Where an object is. */
export function refOf(object: { readonly metadata: ObjectMeta & { name: string } }): Ref {
  const { name, namespace } = object.metadata;
  return namespace === undefined ? { name } : { name, namespace };
}

/** A ref as text, `namespace/name`, for queues and maps. */
export function keyOf(ref: Ref): string {
  return `${ref.namespace ?? ""}/${ref.name}`;
}

/** The ref that `keyOf` made the text from. */
export function refOfKey(key: string): Ref {
  const slash = key.indexOf("/");
  const name = key.slice(slash + 1);
  return slash <= 0 ? { name } : { name, namespace: key.slice(0, slash) };
}

/** The owner that manages `object`, if any. */
export function controllerOf(object: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** A reference that makes `owner` the managing owner of another object, which then goes away with it. */
export function ownerReference(owner: Stored<object>): OwnerReference {
  const { name, uid } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true };
}

/** A reference for controllers of Kubernetes, whose objects hold up a foreground deletion of `owner`: few have the right to set it. */
export function controllerReference(owner: Stored<object>): OwnerReference {
  return { ...ownerReference(owner), blockOwnerDeletion: true };
}
