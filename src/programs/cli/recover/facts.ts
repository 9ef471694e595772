import { z } from "zod";
import { PERSISTENCE } from "../../../core/api/settings/database-settings.ts";
import { LABELS } from "../../../core/api/names.ts";
import { hasLostMajority } from "../../../core/planner/view/lost.ts";
import { ConfigMaps } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import type { RecordedDatabase, RecoveryFacts } from "../../../core/planner/recovery/recovery.ts";
import { blockingFacts } from "../access/blocking-facts.ts";
import type { Look } from "../access/look.ts";

/** What a recovery is worked out from. */
export async function recoveryFactsOf({ kube }: NamespaceAccess, look: Look): Promise<RecoveryFacts> {
  const { observation } = look;
  const recorded = hasLostMajority(observation.view) ? await recordedDatabases(kube, observation) : [];
  return { recorded, ...blockingFacts(look) };
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
