import type { ActiveActiveRecord } from "../../../core/api/records.ts";
import { liveRecord, recordOf, withRecord } from "../../../core/planner/active-active/record.ts";
import type { ClusterView } from "../records/cluster-view.ts";
import { refusals, refuse } from "./refusals.ts";

/** Active-Active databases that a cluster may take part in. */
const MOST = 256;

/** Joins `record` into what the cluster knows; the answer is what is known then. */
export async function putActiveActive(
  view: ClusterView,
  guid: string,
  record: ActiveActiveRecord,
): Promise<ActiveActiveRecord> {
  if (record.guid !== guid) {
    throw refuse(refusals.badRequest, `guid: the path says "${guid}" and the body "${record.guid}"`);
  }
  const state = await view.records.changeState((old) => {
    const activeActives = withRecord(old.activeActives ?? [], record);
    const live = activeActives.filter(({ deleted }) => deleted !== true).length;
    if (live > MOST) {
      throw refuse(refusals.insufficientResources, `a cluster takes part in ${MOST} Active-Active databases at most`);
    }
    return { ...old, activeActives };
  });
  const known = state.activeActives ?? [];
  return recordOf(known, guid) ?? liveRecord(known, record.name) ?? record;
}
