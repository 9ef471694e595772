import type { ActiveActiveRecord } from "../../../core/api/records.ts";
import { liveRecord, recordOf, withRecord } from "../../../core/planner/active-active/record.ts";
import type { Records } from "../records/records.ts";
import { refusals, refuse } from "./refusals.ts";

/** How many Active-Active databases a cluster may take part in. */
const MAX_ACTIVE_ACTIVES = 256;

/** Merges `record` into the record of the cluster; the answer is what is stored then. */
export async function putActiveActive(
  records: Pick<Records, "changeState">,
  guid: string,
  record: ActiveActiveRecord,
): Promise<ActiveActiveRecord> {
  if (record.guid !== guid) {
    throw refuse(refusals.badRequest, `guid: the path says "${guid}" and the body "${record.guid}"`);
  }
  const state = await records.changeState((old) => {
    const activeActives = withRecord(old.activeActives ?? [], record);
    const live = activeActives.filter(({ deleted }) => deleted !== true).length;
    if (live > MAX_ACTIVE_ACTIVES) {
      throw refuse(
        refusals.insufficientResources,
        `a cluster takes part in ${MAX_ACTIVE_ACTIVES} Active-Active databases at most`,
      );
    }
    return { ...old, activeActives };
  });
  const known = state.activeActives ?? [];
  return recordOf(known, guid) ?? liveRecord(known, record.name) ?? record;
}
