import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { liveRecord } from "../../../../core/planner/active-active/record.ts";
import { cameLater, siteNumber } from "../../../../core/planner/active-active/numbers.ts";
import { evictionObjection } from "../../../../core/planner/admission/eviction.ts";
import { requireKnownLinks, type CheckContext } from "./checks.ts";
import { refusals, refuse } from "../http/refusals.ts";

/**
 * Refuses that a database is a site of an Active-Active database which this cluster does not know under that name, or which has no
 * such site; and while a node of an older release is a member, or with an eviction policy that evicts what links keep.
 */
export function requireSite(
  context: CheckContext,
  { name, activeActive, evictionPolicy }: Pick<DatabaseRecord, "name" | "activeActive" | "evictionPolicy">,
): void {
  if (activeActive === undefined) return;
  const { guid, site } = activeActive;
  const record = liveRecord(context.records.state()?.activeActives ?? [], name);
  const sites = record?.participants.map((participant) => siteNumber(record, participant.name));
  if (record?.guid !== guid || sites?.includes(site) !== true) {
    const what = `site ${site} of an Active-Active database ${guid}`;
    throw refuse(
      refusals.notASite,
      `"${name}" is not ${what}: GET /v1/crdbs says which ones this cluster takes part in`,
    );
  }
  const objection = evictionObjection(evictionPolicy);
  if (objection !== undefined) throw refuse(refusals.evictsLink, objection);
  requireKnownLinks(context);
}

/** A new database is a site that came later: the others may hold data that it has to get before clients do. */
export function awaitsSites(
  records: Pick<CheckContext["records"], "state">,
  { name, activeActive }: Pick<DatabaseRecord, "name" | "activeActive">,
): boolean {
  const record = liveRecord(records.state()?.activeActives ?? [], name);
  return record !== undefined && activeActive !== undefined && cameLater(record, activeActive.site);
}
