import type { FaultSpec } from "../base/fault.ts";

/** What can keep a program from starting. */
export const faults = {
  worldInUse: {
    code: "BIN_WORLD_IN_USE",
    retry: "never",
    remedy: "Use the world that runs, stop it with `storectl local down`, or choose another folder with --dir.",
  },
  subnetTaken: {
    code: "BIN_SUBNET_TAKEN",
    retry: "backoff",
    remedy: "Stop the world that uses the subnet in the message, or choose another folder with --dir.",
  },
  noLoopback: {
    code: "BIN_NO_LOOPBACK",
    retry: "never",
    remedy:
      "Run on Linux, where every 127.x.y.z address works; elsewhere add the addresses to the loopback interface, for instance `sudo ifconfig lo0 alias 127.42.0.1`.",
  },
  interrupted: {
    code: "BIN_INTERRUPTED",
    retry: "never",
    remedy: "Nothing is left running; start it again when you like.",
  },
  usage: {
    code: "BIN_USAGE",
    retry: "never",
    remedy: "Call it as the message says.",
  },
} as const satisfies Record<string, FaultSpec>;
