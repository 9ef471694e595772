import type { FaultSpec } from "#kit/base/fault";

/** What can be wrong with a module archive. */
export const faults = {
  notAnArchive: {
    code: "MODULES_NOT_AN_ARCHIVE",
    retry: "never",
    remedy: "Give a zip file with `module.json` and the shared object beside it.",
  },
  unsafeArchive: {
    code: "MODULES_UNSAFE_ARCHIVE",
    retry: "never",
    remedy:
      "Pack the module again with plain files only: no links, no paths that lead out of the archive, no file twice, within the limits in the message.",
  },
  unreachable: {
    code: "MODULES_UNREACHABLE",
    retry: "backoff",
    remedy:
      "Check the URL in spec.userDefinedModules, its credentials secret, and that the cluster may reach the server.",
  },
  badManifest: {
    code: "MODULES_BAD_MANIFEST",
    retry: "never",
    remedy: "Correct the field of `module.json` that the message names, and pack the module again.",
  },
} as const satisfies Record<string, FaultSpec>;
