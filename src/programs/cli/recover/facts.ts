import { z } from "zod";
import { PERSISTENCE } from "../../../core/api/settings/database-settings.ts";
import { LABELS } from "../../../core/api/names.ts";
import { isLost } from "../../../core/planner/view/lost.ts";
import { ConfigMaps } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import type { Site } from "../site/site.ts";
import { checkInput } from "../../../core/planner/prerequisites/check-input.ts";
import type { RecordedDatabase, RecoveryFacts } from "../../../core/planner/recovery/recovery.ts";
import type { Look } from "../site/look.ts";
import type { FindingId } from "../../../core/planner/findings/ids.ts";

/** What the whole cluster lacks is found there, once. */
const OF_CLUSTER: readonly string[] = ["PermissionsMissing", "RequestForbidden"] satisfies readonly FindingId[];

/** What a recovery is worked out from. */
export async function recoveryFactsOf({ kube }: Site, look: Look): Promise<RecoveryFacts> {
  const { observation, environment, databases } = look;
  return {
    recorded: isLost(observation.view) ? await recordedDatabases(kube, observation) : [],
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

const RECORD = z.object({ name: z.string(), persistence: z.enum(PERSISTENCE) });

/** The records lie in the Kubernetes API: they are there without any node. */
async function recordedDatabases(
  kube: Kube,
  { namespace, view }: Look["observation"],
): Promise<readonly RecordedDatabase[]> {
  const labelSelector = `${LABELS.cluster}=${view.name},${LABELS.record}=database`;
  const { items } = await kube.list(ConfigMaps, { namespace, labelSelector });
  return items.flatMap(({ data }) => {
    const { success, data: record } = RECORD.safeParse(JSON.parse(data?.["record"] ?? "null"));
    return success ? [record] : [];
  });
}
