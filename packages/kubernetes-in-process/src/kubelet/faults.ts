import type { FaultSpec } from "../../../controller-kit/src/base/fault.ts";
import { describeObject, getObjects } from "../../../controller-kit/src/base/kubectl.ts";
import { placeholder } from "../../../controller-kit/src/base/shell-word.ts";

/** What can keep a pod from running. */
export const faults = {
  configMissing: {
    code: "KUBELET_CONFIG_MISSING",
    retry: "backoff",
    remedy: "Create the Secret or ConfigMap in the message, or mark the reference optional; the container then starts.",
  },
  fieldUnknown: {
    code: "KUBELET_FIELD_UNKNOWN",
    retry: "never",
    remedy:
      "Use metadata.name, metadata.namespace, metadata.uid, metadata.labels, metadata.annotations, spec.nodeName, spec.serviceAccountName, status.hostIP or status.podIP.",
  },
  volumeNotReady: {
    code: "KUBELET_VOLUME_NOT_READY",
    retry: "backoff",
    remedy: `Create what the volume refers to; ${describeObject(placeholder("pod <name>"))} names it. The pod then starts.`,
  },
  volumeUnsupported: {
    code: "KUBELET_VOLUME_UNSUPPORTED",
    retry: "never",
    remedy: "Use persistentVolumeClaim, emptyDir, secret, configMap, projected or downwardAPI.",
  },
  pathOutside: {
    code: "KUBELET_PATH_OUTSIDE",
    retry: "never",
    remedy: "Use an absolute mountPath and relative keys, paths and subPaths without `..`.",
  },
  noAddress: {
    code: "KUBELET_NO_ADDRESS",
    retry: "backoff",
    remedy: `Delete pods that are not needed: ${getObjects("pods -A")}.`,
  },
  noLog: {
    code: "KUBELET_NO_LOG",
    retry: "backoff",
    remedy: `Wait until the container has started: ${getObjects("pods")}. With --previous, wait until it has been restarted.`,
  },
} as const satisfies Record<string, FaultSpec>;
