import type { FaultSpec } from "#kit/base/fault";
import { containerLog } from "#kit/base/kubectl";
import { ENGINES_CONTAINER } from "../../core/api/names.ts";
import { placeholder } from "#kit/base/shell-word";

/** What can go wrong between an agent and the starter of its engines. */
export const faults = {
  notThere: {
    code: "STARTER_NOT_THERE",
    retry: "backoff",
    remedy: `Kubernetes starts the container of the engines again; its log says why it ended: ${containerLog(placeholder("<rec>-<n>"), ENGINES_CONTAINER)}.`,
  },
  refused: {
    code: "STARTER_REFUSED",
    retry: "backoff",
    remedy: "Both containers of a node need the same image, and the same volume at /var/lib/store.",
  },
  notTheAgent: {
    code: "STARTER_NOT_THE_AGENT",
    retry: "never",
    remedy: "Delete the pod. If this comes again, something else than this product writes into /var/lib/store/run.",
  },
} as const satisfies Record<string, FaultSpec>;
