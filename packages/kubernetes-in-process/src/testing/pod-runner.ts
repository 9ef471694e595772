import type { Pod } from "kubernetes-types/core/v1.js";
import { silentLog } from "../../../controller-kit/src/base/log.ts";
import { Pods } from "../../../controller-kit/src/kube/builtin.ts";
import { startInformer } from "../../../controller-kit/src/kube/informer.ts";
import type { Kube, Stored } from "../../../controller-kit/src/kube/kube.ts";
import { keyOf, refOf, refOfKey } from "../../../controller-kit/src/kube/ref.ts";
import { timestamp } from "../../../controller-kit/src/kube/timestamp.ts";
import { runController } from "../../../controller-kit/src/reconcile/controller.ts";
import { AT_REST } from "../../../controller-kit/src/reconcile/outcome.ts";
import { systemClock } from "../../../controller-kit/src/reconcile/system-clock.ts";

export type Fate = "ready" | "unready" | "succeeded" | "failed" | "ignored";

export interface PodRunner {
  /** What becomes of pods from now on; asked again for every pod when changed. */
  decide(fate: (pod: Stored<Pod>) => Fate): void;
  /** Pods that are asked to go stay until this is false. */
  hold(terminating: boolean): void;
}

/** Stands in for kubelet and scheduler: binds pods, says what becomes of them, and lets them go when asked; runs nothing. */
export function runPods(kube: Kube, signal: AbortSignal): PodRunner {
  const options = { clock: systemClock, log: silentLog, signal };
  const informer = startInformer(kube, Pods, options);
  let fateOf: (pod: Stored<Pod>) => Fate = () => "ready";
  let holds = false;
  let address = 0;
  const { enqueue } = runController({
    ...options,
    name: "pods",
    reconcile: async (key) => {
      const pod = await kube.get(Pods, refOfKey(key));
      if (pod === undefined || fateOf(pod) === "ignored") return AT_REST;
      if (pod.metadata.deletionTimestamp !== undefined) {
        if (!holds) await kube.delete(Pods, refOf(pod), { gracePeriodSeconds: 0, uid: pod.metadata.uid });
        return AT_REST;
      }
      if (pod.spec?.nodeName === undefined) {
        const { name, namespace = "" } = pod.metadata;
        const target = { apiVersion: "v1", kind: "Node", name: "machine" };
        await kube.raw("POST", `/api/v1/namespaces/${namespace}/pods/${name}/binding`, {
          apiVersion: "v1",
          kind: "Binding",
          metadata: { name },
          target,
        });
      }
      const podIP = pod.status?.podIP ?? `127.9.0.${(address += 1)}`;
      await kube.patch(
        Pods,
        refOf(pod),
        { type: "strategic", body: { status: statusOf(fateOf(pod), podIP) } },
        { subresource: "status" },
      );
      return AT_REST;
    },
  });
  informer.onChange((ref) => {
    enqueue(keyOf(ref));
  });
  const again = (): void => {
    for (const pod of informer.list()) enqueue(keyOf(refOf(pod)));
  };
  return {
    decide: (fate) => {
      fateOf = fate;
      again();
    },
    hold: (terminating) => {
      holds = terminating;
      again();
    },
  };
}

function statusOf(fate: Fate, podIP: string): object {
  const phase = { ready: "Running", unready: "Running", succeeded: "Succeeded", failed: "Failed", ignored: "Pending" }[
    fate
  ];
  const status = fate === "ready" ? "True" : "False";
  return { phase, podIP, conditions: [{ type: "Ready", status, lastTransitionTime: timestamp(new Date(0)) }] };
}
