import type { FaultSpec } from "../base/fault.ts";

/** What can go wrong inside an agent; refusals of its management API are in refusals.ts. */
export const faults = {
  badConfig: {
    code: "AGENT_BAD_CONFIG",
    retry: "never",
    remedy: "Correct the environment of the container store-enterprise-node (`kubectl get sts <rec> -o yaml`).",
  },
  badRecord: {
    code: "AGENT_BAD_RECORD",
    retry: "backoff",
    remedy: "Compare the record with another one (`kubectl get configmap -l storeenterprise.io/record -o yaml`).",
  },
  badSecretFile: {
    code: "AGENT_BAD_SECRET_FILE",
    retry: "backoff",
    remedy: "Check the secrets that the pod mounts (`kubectl describe pod <rec>-<n>`).",
  },
  proxyGone: {
    code: "AGENT_PROXY_GONE",
    retry: "backoff",
    remedy: "The proxy of the node is starting again; ask once more in a second.",
  },
  proxyRefused: {
    code: "AGENT_PROXY_REFUSED",
    retry: "backoff",
    remedy: "The message of the proxy says why; the endpoints go on as they were.",
  },
} as const satisfies Record<string, FaultSpec>;
