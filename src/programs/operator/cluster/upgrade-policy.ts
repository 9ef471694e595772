import { DATABASE_SETTINGS } from "../../../core/api/settings/database-settings.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";

/**
 * Sends the cluster the policy: which versions its databases may be moved to, as the spec says it (§2.2). Nodes of two releases do not
 * get it: the leader may be one that has no policy.
 */
export async function keepUpgradePolicy({ view, records, connection }: ClusterObservation): Promise<void> {
  if (connection === undefined || "unreachable" in records || records.policy === undefined) return;
  const { upgradePolicy } = DATABASE_SETTINGS;
  const wanted = view.spec.storeUpgradePolicy ?? upgradePolicy.fallback;
  const versions = new Set(records.nodes.map(({ software_version }) => software_version));
  if (upgradePolicy.ofWire(records.policy) === wanted || versions.size > 1) return;
  await connection.client.call("updateClusterPolicy", { body: upgradePolicy.toWire(wanted) });
}
