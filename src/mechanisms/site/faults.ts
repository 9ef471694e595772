import type { FaultSpec } from "#kit/base/fault";
import { editObject } from "#kit/base/kubectl";
import { placeholder } from "#kit/base/shell-word";

/** The errors of a site at its engine. */
export const faults = {
  notEmpty: {
    code: "SITE_NOT_EMPTY",
    retry: "backoff",
    remedy: `Take the site out of the Active-Active database, and put it in again when its database is gone: ${editObject(placeholder("reaadb <name>"))}.`,
  },
  unreadable: {
    code: "SITE_FILE_UNREADABLE",
    retry: "never",
    remedy:
      "Nothing is to be done: the site compares itself with another one. If it names what is no file, look at the modules of the database, which alone can put that there.",
  },
} as const satisfies Record<string, FaultSpec>;
