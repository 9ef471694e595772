import type { FaultSpec } from "../../core/base/fault.ts";

/** What can go wrong in the operator. */
export const faults = {
  badConfig: {
    code: "OPERATOR_BAD_CONFIG",
    retry: "never",
    remedy: "Correct the environment of the Deployment: kubectl edit deployment store-enterprise-operator.",
  },
  noConnection: {
    code: "OPERATOR_NO_CONNECTION",
    retry: "backoff",
    remedy: "Wait until the cluster's secrets and pods are there: kubectl get secrets,pods -l app=store-enterprise.",
  },
  noSecret: {
    code: "OPERATOR_NO_SECRET",
    retry: "backoff",
    remedy:
      "Make the secret that the message names: kubectl create secret generic <name> --from-literal=username=… --from-literal=password=…",
  },
} as const satisfies Record<string, FaultSpec>;
