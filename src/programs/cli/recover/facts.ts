import type { StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { Stored } from "../../../ports/kube/kube.ts";
import { checkInput } from "../../../core/planner/prerequisites/check-input.ts";
import type { RecoveryFacts } from "../../../core/planner/recovery/recovery.ts";
import type { Look } from "../site/look.ts";
import { splitMessage } from "../why/split.ts";

/** What a recovery is worked out from. */
export function recoveryFactsOf({ observation, environment, databases }: Look): RecoveryFacts {
  return {
    input: checkInput(observation.view, { environment }),
    databases: databases.map((database) => ({
      name: database.metadata.name,
      storeVersion: database.spec.storeVersion,
      findings: findingsOf(database),
    })),
  };
}

/** What the operator has against the object itself; that it waits or changes is nothing against it. */
function findingsOf({ status }: Stored<StoreEnterpriseDatabase>): readonly Finding[] {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined || (status?.specStatus !== "Invalid" && ready.reason !== "RefusedByCluster")) return [];
  const { evidence, clears } = splitMessage(ready.message);
  return [{ id: ready.reason, severity: "block", evidence, remedy: clears || "kubectl describe redb" }];
}
