import type { FaultSpec } from "../base/fault.ts";

/** What can go wrong with processes. */
export const faults = {
  spawnFailed: {
    code: "PROCESSES_SPAWN_FAILED",
    retry: "backoff",
    remedy: "Check that the command exists and is executable: `ls -l` on the path in the message.",
  },
} as const satisfies Record<string, FaultSpec>;
