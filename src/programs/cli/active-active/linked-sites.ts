import { activeActiveSpec } from "../../../core/api/active-active.ts";
import { isFault } from "#kit/base/fault";
import type { LeavingFacts, WrittenSpec } from "../../../core/planner/active-active/edits.ts";
import { liveRecord } from "../../../core/planner/active-active/record.ts";
import { faults as managementFaults } from "../../../ports/management/faults.ts";
import { faults } from "../faults.ts";
import { askCluster } from "../access/management.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";

/** How the other sites of a database arrive at the cluster that it names; a sentence when that does not say so. */
export async function sitesAsLinked(
  access: NamespaceAccess,
  spec: WrittenSpec,
  name: string,
): Promise<LeavingFacts["sites"]> {
  try {
    const { client } = await askCluster(access, clusterOf(spec));
    const record = liveRecord(await client.call("crdbs"), name);
    if (record === undefined) return `the cluster takes part in no Active-Active database "${name}" yet`;
    const { sites } = await client.call("crdbHealth", { params: { guid: record.guid } });
    return sites.map(({ name: other, state, since, cause }) => ({ name: other, state, since, cause }));
  } catch (error) {
    const silent = [faults.clusterSilent, ...Object.values(managementFaults)];
    if (silent.some((fault) => isFault(error, fault))) return error instanceof Error ? error.message : "";
    throw error;
  }
}

/** Undefined: the only one of the namespace. */
function clusterOf(spec: WrittenSpec): string | undefined {
  const { storeEnterpriseCluster: own, globalConfigurations } = activeActiveSpec.partial().parse(spec);
  return (own ?? globalConfigurations?.storeEnterpriseCluster)?.name;
}
