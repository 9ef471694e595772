import type { Pod } from "kubernetes-types/core/v1.js";
import { messageOf } from "../../../../controller-kit/src/base/fault.ts";
import { Pods } from "../../../../controller-kit/src/kube/builtin.ts";
import type { EventRecorder } from "../../../../controller-kit/src/kube/events.ts";
import type { Kube, Stored, Wanted } from "../../../../controller-kit/src/kube/kube.ts";

/** Creates a pod; when the server refuses it, an event at the owner says why, and the refusal is thrown on. */
export async function createPod(
  kube: Kube,
  events: EventRecorder,
  owner: Stored<object>,
  pod: Wanted<Pod>,
): Promise<Stored<Pod>> {
  try {
    return await kube.create(Pods, pod);
  } catch (error) {
    events.record(owner, "Warning", "FailedCreate", `Error creating: ${messageOf(error)}`);
    throw error;
  }
}
