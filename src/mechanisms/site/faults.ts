import type { FaultSpec } from "../../core/base/fault.ts";
import { editObject } from "../../core/base/kubectl.ts";

/** The errors of a site at its engine. */
export const faults = {
  notEmpty: {
    code: "SITE_NOT_EMPTY",
    retry: "backoff",
    remedy: `Take the site out of the Active-Active database, and put it in again when its database is gone: ${editObject("reaadb <name>")}.`,
  },
  notAFile: {
    code: "SITE_NOT_A_FILE",
    retry: "never",
    remedy:
      "The engine or a module in it has put something else into its folder: replace the node, and look at the modules of the database.",
  },
} as const satisfies Record<string, FaultSpec>;
