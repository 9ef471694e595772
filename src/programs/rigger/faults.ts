import type { FaultSpec } from "#kit/base/fault";

/** What can go wrong in the services rigger. */
export const faults = {
  badConfig: {
    code: "RIGGER_BAD_CONFIG",
    retry: "never",
    remedy: "Delete the Deployment <rec>-services-rigger. The operator creates it again.",
  },
} as const satisfies Record<string, FaultSpec>;
