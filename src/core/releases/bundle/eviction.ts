import type { Toleration } from "kubernetes-types/core/v1.js";

/** How long a pod stays with a worker that no longer answers, in seconds. */
const STAY_SECONDS = 20;

/**
 * Tolerations of pods that can run anywhere. Without them Kubernetes waits five minutes before it replaces a pod whose worker was
 * lost, and for that long clients would not learn which nodes still serve.
 */
export const LEAVE_SOON: readonly Toleration[] = ["not-ready", "unreachable"].map((state) => ({
  key: `node.kubernetes.io/${state}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: STAY_SECONDS,
}));
