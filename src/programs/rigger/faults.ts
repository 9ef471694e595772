import type { FaultSpec } from "../../core/base/fault.ts";

/** What can go wrong in the services rigger. */
export const faults = {
  badConfig: {
    code: "RIGGER_BAD_CONFIG",
    retry: "never",
    remedy: "Delete the Deployment <rec>-services-rigger; the operator makes it anew.",
  },
} as const satisfies Record<string, FaultSpec>;
