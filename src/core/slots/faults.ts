import type { FaultSpec } from "#kit/base/fault";

/** What can be wrong with the data of an engine that goes to another shard. */
export const faults = {
  malformed: {
    code: "SLOTS_MALFORMED_SNAPSHOT",
    retry: "backoff",
    remedy:
      "The move begins anew. When it happens again, look for errors of memory and network at the node of the source.",
  },
  unknownData: {
    code: "SLOTS_UNKNOWN_DATA",
    retry: "never",
    remedy:
      "This release cannot move data of that engine version, or of its modules: upgrade the cluster first, or keep the number of shards.",
  },
} as const satisfies Record<string, FaultSpec>;
