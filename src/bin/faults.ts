import type { FaultSpec } from "#kit/base/fault";

/** What can keep a program from starting. */
export const faults = {
  interrupted: {
    code: "BIN_INTERRUPTED",
    retry: "never",
    remedy: "Nothing is left running. Start the program again when you like.",
  },
  releaseMissing: {
    code: "BIN_RELEASE_MISSING",
    retry: "never",
    remedy: "Get the commit with the git fetch of the message, then start again; or leave out --from.",
  },
  usage: {
    code: "BIN_USAGE",
    retry: "never",
    remedy: "Correct the arguments: the message has the usage, with each option and its values.",
  },
} as const satisfies Record<string, FaultSpec>;
