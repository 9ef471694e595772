import { checkInput } from "../../../core/planner/prerequisites/check-input.ts";
import type { RecoveryFacts } from "../../../core/planner/recovery/recovery.ts";
import type { Look } from "../site/look.ts";
import type { FindingId } from "../../../core/planner/findings/ids.ts";

/** What the whole cluster lacks is found there, once. */
const OF_CLUSTER: readonly string[] = ["PermissionsMissing", "RequestForbidden"] satisfies readonly FindingId[];

/** What a recovery is worked out from. */
export function recoveryFactsOf({ observation, environment, databases }: Look): RecoveryFacts {
  return {
    input: checkInput(observation.view, { environment }),
    databases: databases.map((database) => ({
      name: database.metadata.name,
      storeVersion: database.spec.storeVersion,
      findings: (database.status?.findings ?? []).filter(
        ({ id, severity }) => severity === "block" && !OF_CLUSTER.includes(id),
      ),
    })),
  };
}
