import type { ClusterSpec } from "../../../core/api/cluster-spec.ts";
import { DATABASE_SETTINGS } from "../../../core/api/settings/database-settings.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import type { ClusterPolicy } from "../../../ports/management/records.ts";

/**
 * Sends the cluster the policy of its spec for all databases, but not while nodes of two releases run: the leader may not know the policy.
 */
export async function keepPolicy(observation: ClusterObservation): Promise<void> {
  const body = policyDue(observation);
  if (body !== undefined) await observation.connection?.client.call("updateClusterPolicy", { body });
}

/** The policy to send to the cluster now; undefined when the cluster has it, or cannot get it. */
export function policyDue({ view, records, connection }: ClusterObservation): ClusterPolicy | undefined {
  if (connection === undefined || "unreachable" in records || records.policy === undefined) return undefined;
  const versions = new Set(records.nodes.map(({ software_version }) => software_version));
  return versions.size > 1 ? undefined : policyToSend(view.spec, records.policy);
}

/**
 * Which versions databases may be moved to (§2.2), and how long data is kept that no record asks for; undefined when the
 * cluster has it. Nodes of releases before 0.4.0 do not answer with the second, and refuse it.
 */
export function policyToSend(
  {
    storeUpgradePolicy,
    setAsideRetentionDays: days,
  }: Pick<ClusterSpec, "storeUpgradePolicy" | "setAsideRetentionDays">,
  has: ClusterPolicy,
): ClusterPolicy | undefined {
  const { upgradePolicy } = DATABASE_SETTINGS;
  const wanted = storeUpgradePolicy ?? upgradePolicy.fallback;
  const kept = has.set_aside_retention_days;
  if (upgradePolicy.ofWire(has) === wanted && (kept === undefined || kept === days)) return undefined;
  return { ...upgradePolicy.toWire(wanted), ...(kept === undefined ? {} : { set_aside_retention_days: days }) };
}
