import type { Kube, ResourceType, Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { isSame } from "../../../../controller-kit/src/kube/same.ts";

/** Writes the status of `next` when it differs from that of `before`, the same object as it was read. */
export async function writeStatus<T extends { status?: unknown }>(
  kube: Kube,
  type: ResourceType<T>,
  before: Stored<T>,
  next: Stored<T>,
): Promise<void> {
  if (!isSame(before, next)) await kube.update(type, next, { subresource: "status" });
}
