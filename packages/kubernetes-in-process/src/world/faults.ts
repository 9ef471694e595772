import type { FaultSpec } from "../../../controller-kit/src/base/fault.ts";

/** What can keep a local Kubernetes from starting. */
export const faults = {
  worldInUse: {
    code: "WORLD_IN_USE",
    retry: "never",
    remedy: "Use the world that runs in this folder, stop the process in the message, or choose another folder.",
  },
  subnetTaken: {
    code: "WORLD_SUBNET_TAKEN",
    retry: "backoff",
    remedy: "Stop the world that uses the subnet in the message, or choose another folder.",
  },
  noLoopback: {
    code: "WORLD_NO_LOOPBACK",
    retry: "never",
    remedy:
      "Run on Linux, where every 127.x.y.z address works; elsewhere add the addresses to the loopback interface, for instance `sudo ifconfig lo0 alias 127.42.0.1`.",
  },
} as const satisfies Record<string, FaultSpec>;
