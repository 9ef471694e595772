import { KINDS, type KindName } from "../../../core/api/kinds.ts";
import { API_GROUP } from "../../../core/api/names.ts";
import type { Access } from "../../../core/releases/permissions/person-grants.ts";
import { missingRights, refuseMissing, type RightsPlace } from "../access/rights.ts";

/** CLI_PERMISSIONS_MISSING, before anything is read, with all that a change takes: what its rules look at, and the write. */
export async function requireChange(place: RightsPlace, write: Access): Promise<void> {
  const { kube, namespace } = place;
  const reads = KIND_NAMES.map((kind) => ({ verb: "list", group: API_GROUP, resource: KINDS[kind].plural, namespace }));
  await refuseMissing(place, await missingRights(kube, [...reads, write]), "");
}

const KIND_NAMES = ["cluster", "database", "activeActive", "remoteCluster"] as const satisfies readonly KindName[];
