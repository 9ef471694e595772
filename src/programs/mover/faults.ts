import type { FaultSpec } from "#kit/base/fault";

/** What can keep a mover from passing on the data of its sources. */
export const faults = {
  sourceGone: {
    code: "MOVER_SOURCE_GONE",
    retry: "backoff",
    remedy: "The move begins anew: look at the primary of the shard that it names.",
  },
  targetGone: {
    code: "MOVER_TARGET_GONE",
    retry: "backoff",
    remedy: "The move begins anew: look at the log of the engine of the shard that it names.",
  },
  flushed: {
    code: "MOVER_FLUSHED",
    retry: "backoff",
    remedy: "The move begins anew, with what is there now: a client has emptied or swapped databases.",
  },
  unknownCommand: {
    code: "MOVER_UNKNOWN_COMMAND",
    retry: "never",
    remedy: "This release does not know which keys the command changes: keep the number of shards, or stop using it.",
  },
  notReached: {
    code: "MOVER_NOT_REACHED",
    retry: "backoff",
    remedy: "Clients go on at the shards that they had, and the move is tried again.",
  },
  cannotListen: {
    code: "MOVER_CANNOT_LISTEN",
    retry: "backoff",
    remedy: "Another process holds the port, or this machine does not have the address: ss -ltnp.",
  },
  badCommand: {
    code: "MOVER_BAD_COMMAND",
    retry: "never",
    remedy: "Agent and mover must be of the same release.",
  },
  failed: {
    code: "MOVER_FAILED",
    retry: "backoff",
    remedy: "Look for the cause in the log of the mover and report it.",
  },
} as const satisfies Record<string, FaultSpec>;
