import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import { NODE_CONTAINER } from "../../../src/core/api/names.ts";
import { podWithIdentity } from "#kubernetes/controllers/statefulset/identity";
import { silentLog } from "#kit/base/log";
import { Pods, StatefulSets } from "#kit/kube/builtin";
import { startInformer } from "#kit/kube/informer";
import type { Kube, Stored } from "#kit/kube/kube";
import { keyOf, refOf, refOfKey } from "#kit/kube/ref";
import { timestamp } from "#kit/kube/timestamp";
import { runController } from "#kit/reconcile/controller";
import { AT_REST } from "#kit/reconcile/outcome";
import { systemClock } from "#kit/reconcile/system-clock";

const REVISION = "simulated-1";

/**
 * Stands in for the StatefulSet controller and the kubelets: the pods of each StatefulSet are there and ready, at
 * `addresses`, with the status that running ones have. Nothing runs in them, and they are never replaced.
 */
export function simulateNodes(
  kube: Kube,
  { namespace, addresses, signal }: { namespace: string; addresses: readonly string[]; signal: AbortSignal },
): void {
  const options = { namespace, clock: systemClock, log: silentLog, signal };
  const sets = startInformer(kube, StatefulSets, options);
  const { enqueue } = runController({
    ...options,
    name: "simulated nodes",
    reconcile: async (key) => {
      const set = await kube.get(StatefulSets, refOfKey(key));
      if (set === undefined) return AT_REST;
      for (const [ordinal, address] of addresses.slice(0, set.spec?.replicas ?? 1).entries()) {
        await keepPod(kube, set, ordinal, address);
      }
      await reportSet(kube, set);
      return AT_REST;
    },
  });
  sets.onChange((ref) => {
    enqueue(keyOf(ref));
  });
}

async function keepPod(kube: Kube, set: Stored<StatefulSet>, ordinal: number, address: string): Promise<void> {
  if (set.spec === undefined) return;
  const wanted = podWithIdentity(set, set.spec.template, ordinal, REVISION);
  if ((await kube.get(Pods, refOf(wanted))) !== undefined) return;
  await kube.create(Pods, wanted);
  const lastTransitionTime = timestamp(systemClock.now());
  const holds = (type: string): object => ({ type, status: "True", lastTransitionTime });
  const status = {
    phase: "Running",
    podIP: address,
    podIPs: [{ ip: address }],
    conditions: ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map(holds),
    containerStatuses: [
      {
        name: NODE_CONTAINER,
        ready: true,
        started: true,
        restartCount: 0,
        image: wanted.spec?.containers[0]?.image,
        imageID: "simulated",
        state: { running: { startedAt: lastTransitionTime } },
      },
    ],
  };
  await kube.patch(Pods, refOf(wanted), { type: "strategic", body: { status } }, { subresource: "status" });
}

async function reportSet(kube: Kube, set: Stored<StatefulSet>): Promise<void> {
  const replicas = set.spec?.replicas ?? 1;
  const status = {
    observedGeneration: set.metadata.generation,
    replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    currentReplicas: replicas,
    updatedReplicas: replicas,
    currentRevision: REVISION,
    updateRevision: REVISION,
  };
  if (set.status?.observedGeneration === status.observedGeneration) return;
  await kube.patch(StatefulSets, refOf(set), { type: "merge", body: { status } }, { subresource: "status" });
}
