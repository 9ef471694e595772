import type { ObjectMeta } from "kubernetes-types/meta/v1.js";
import type { PodSpec } from "kubernetes-types/core/v1.js";
import type { PodFacts } from "../kubelet/environment/facts.ts";

/** A pod `shop/web-0` for tests, with what the test cares about laid over it. */
export function podFactsOf(metadata: ObjectMeta = {}, spec: PodSpec = { containers: [] }): PodFacts {
  return {
    pod: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web-0", namespace: "shop", uid: "u1", resourceVersion: "1", ...metadata },
      spec,
    },
    podIP: "127.42.1.7",
    hostIP: "127.42.0.1",
    nodeName: "here",
    capacity: { cpu: "2", memory: "8Gi" },
  };
}
