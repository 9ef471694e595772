import type { Kube, ResourceType, Stored } from "../kube/kube.ts";
import { refOf } from "../kube/ref.ts";

/** Keeps `object` from going away before the operator lets it; KUBE_CONFLICT when it has changed meanwhile. */
export async function holdBack(
  kube: Kube,
  type: ResourceType<object>,
  object: Stored<object>,
  finalizer: string,
): Promise<void> {
  const there = object.metadata.finalizers ?? [];
  if (!there.includes(finalizer)) await write(kube, type, object, [...there, finalizer]);
}

/** Lets `object` go as far as the operator is concerned; KUBE_CONFLICT when it has changed meanwhile. */
export async function letGo(
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

async function write(
  kube: Kube,
  type: ResourceType<object>,
  object: Stored<object>,
  finalizers: readonly string[],
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const body = { metadata: { uid, resourceVersion, finalizers } };
  await kube.patch(type, refOf(object), { type: "merge", body });
}
