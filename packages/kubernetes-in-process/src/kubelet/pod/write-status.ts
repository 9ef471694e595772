import { isDeepStrictEqual } from "node:util";
import type { Pod, PodStatus } from "kubernetes-types/core/v1.js";
import { isFault } from "../../../../controller-kit/src/base/fault.ts";
import { Pods } from "../../../../controller-kit/src/kube/builtin.ts";
import { faults } from "../../../../controller-kit/src/kube/faults.ts";
import type { Kube, Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { refOf } from "../../../../controller-kit/src/kube/ref.ts";

/**
 * Writes the status that `observe` makes of the newest object, unless it is there already; returns the stored object,
 * or undefined when the pod is gone. Others write conditions too, so a lost race is repeated on what they wrote.
 */
export async function writePodStatus(
  kube: Kube,
  pod: Stored<Pod>,
  observe: (pod: Stored<Pod>) => PodStatus,
): Promise<Stored<Pod> | undefined> {
  for (let current: Stored<Pod> | undefined = pod; current !== undefined; current = await kube.get(Pods, refOf(pod))) {
    if (current.metadata.uid !== pod.metadata.uid) return undefined;
    const status = observe(current);
    if (isDeepStrictEqual(status, current.status)) return current;
    try {
      return await kube.update(Pods, { ...current, status }, { subresource: "status" });
    } catch (error) {
      if (isFault(error, faults.notFound)) return undefined;
      if (!isFault(error, faults.conflict)) throw error;
    }
  }
  return undefined;
}
