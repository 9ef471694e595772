import type { FaultSpec } from "../base/fault.ts";

/** What can go wrong between a user and storectl. */
export const faults = {
  usage: {
    code: "CLI_USAGE",
    retry: "never",
    remedy: "Read `storectl --help`, or add --help to the command.",
  },
  file: {
    code: "CLI_FILE",
    retry: "never",
    remedy: "Name a file that is there and readable; one that is written must not be there yet.",
  },
  worldNotUp: {
    code: "CLI_WORLD_NOT_UP",
    retry: "backoff",
    remedy:
      "Read the end of world.log in the folder of the world, put right what it says, and run `storectl local up` again.",
  },
  worldNotDown: {
    code: "CLI_WORLD_NOT_DOWN",
    retry: "backoff",
    remedy: "Run `storectl local down` again; it ends the processes by force.",
  },
} as const satisfies Record<string, FaultSpec>;
