import type { FaultSpec } from "#kit/base/fault";

/** What can go wrong with what other sites send and with what was saved. */
export const faults = {
  malformed: {
    code: "MERGE_MALFORMED",
    retry: "never",
    remedy:
      "Upgrade all sites of the database to the same release; a site waits until it can read what the others send.",
  },
} as const satisfies Record<string, FaultSpec>;
