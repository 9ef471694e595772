import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import type { Kube, ResourceType, Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { controllerOf, controllerReference, refOf } from "../../../../controller-kit/src/kube/ref.ts";
import { selectorText } from "../../../../controller-kit/src/kube/selector.ts";

/**
 * The objects of a type that `owner` manages, as the server has them now: a cache that lags would let a controller
 * create the same pod twice. Objects that the selector selects and that have no owner are adopted.
 */
export async function claimOwned<T>(
  kube: Kube,
  type: ResourceType<T>,
  owner: Stored<object>,
  selector: LabelSelector,
): Promise<Stored<T>[]> {
  const { namespace = "", uid, deletionTimestamp } = owner.metadata;
  const { items } = await kube.list(type, { namespace, labelSelector: selectorText(selector) });
  const owned = items.filter((item) => controllerOf(item)?.uid === uid);
  if (deletionTimestamp !== undefined) return owned;
  const orphans = items.filter(
    (item) => controllerOf(item) === undefined && item.metadata.deletionTimestamp === undefined,
  );
  const adopted = await Promise.all(orphans.map((orphan) => adopt(kube, type, owner, orphan)));
  return [...owned, ...adopted];
}

function adopt<T>(kube: Kube, type: ResourceType<T>, owner: Stored<object>, orphan: Stored<T>): Promise<Stored<T>> {
  const { uid, resourceVersion, ownerReferences = [] } = orphan.metadata;
  const body = {
    metadata: { uid, resourceVersion, ownerReferences: [...ownerReferences, controllerReference(owner)] },
  };
  return kube.patch(type, refOf(orphan), { type: "merge", body });
}
