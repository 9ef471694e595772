import type { Kube, ResourceType, Stored } from "#kit/kube/kube";
import { refOf } from "#kit/kube/ref";

/**
 * Keeps `object` from going away before the operator lets it; KUBE_CONFLICT when it has changed meanwhile. The answer is
 * what is stored then.
 */
export async function addFinalizer<T>(
  kube: Kube,
  type: ResourceType<T>,
  object: Stored<T>,
  finalizer: string,
): Promise<Stored<T>> {
  const there = object.metadata.finalizers ?? [];
  return there.includes(finalizer) ? object : write(kube, type, object, [...there, finalizer]);
}

/** Lets `object` go as far as the operator is concerned; KUBE_CONFLICT when it has changed meanwhile. */
export async function removeFinalizer(
  kube: Kube,
  type: ResourceType<object>,
  object: Stored<object>,
  finalizer: string,
): Promise<void> {
  const there = object.metadata.finalizers ?? [];
  if (!there.includes(finalizer)) return;
  await write(
    kube,
    type,
    object,
    there.filter((one) => one !== finalizer),
  );
}

function write<T>(
  kube: Kube,
  type: ResourceType<T>,
  object: Stored<T>,
  finalizers: readonly string[],
): Promise<Stored<T>> {
  const { uid, resourceVersion } = object.metadata;
  const body = { metadata: { uid, resourceVersion, finalizers } };
  return kube.patch(type, refOf(object), { type: "merge", body });
}
