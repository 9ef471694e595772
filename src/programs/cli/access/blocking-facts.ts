import type { StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import type { FindingId } from "../../../core/planner/prerequisites/finding-ids.ts";
import { checkInput } from "../../../core/planner/prerequisites/check-input.ts";
import type { BlockingFacts } from "../../../core/planner/recovery/causes.ts";
import type { RecoveryFacts } from "../../../core/planner/recovery/recovery.ts";
import type { Stored } from "#kit/kube/kube";
import type { Look } from "./look.ts";

/** What `causesOf` needs to say what blocks: `storectl status` and `storectl recover` ask it about the same facts. */
export function blockingFacts({ observation, environment, databases, lack }: Look): BlockingFacts {
  return {
    input: checkInput(observation.view, { environment }),
    databases: databases.map(databaseObject),
    lacksFacts: lack?.isEssential === true,
  };
}

/** What the whole cluster lacks is found there, once. */
const OF_CLUSTER: readonly string[] = [
  "PermissionsMissing",
  "RequestForbidden",
  "RecordMissing",
] satisfies readonly FindingId[];

function databaseObject({
  metadata,
  spec,
  status,
}: Stored<StoreEnterpriseDatabase>): RecoveryFacts["databases"][number] {
  return {
    name: metadata.name,
    storeVersion: spec.storeVersion,
    findings: (status?.findings ?? []).filter(({ id, severity }) => severity === "block" && !OF_CLUSTER.includes(id)),
  };
}
