import type { ActiveActiveRecord } from "../../../../core/api/records.ts";
import { liveRecord, recordOf, withRecord } from "../../../../core/planner/active-active/record.ts";
import type { Records } from "../../records/records.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** How many Active-Active databases a cluster may take part in. */
const MAX_ACTIVE_ACTIVES = 256;
/** How far the number of an edit may be ahead of the known one: it only ever rises, and one writer must not use it up. */
const MOST_EDITS_AHEAD = 100_000;

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
    requireNearEdits(old.activeActives ?? [], record);
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

/** A participant that has been away, or joins late, is some edits behind. */
function requireNearEdits(known: readonly ActiveActiveRecord[], record: ActiveActiveRecord): void {
  const before = recordOf(known, record.guid) ?? liveRecord(known, record.name);
  for (const [field, given, last] of [
    ["edit.count", record.edit.count, before?.edit.count],
    ["numbers.edit.count", record.numbers?.edit.count, before?.numbers?.edit.count],
    ["numbers.next", record.numbers?.next, before?.numbers?.next],
  ] as const) {
    const most = (last ?? 0) + MOST_EDITS_AHEAD;
    if (given !== undefined && given > most)
      throw refuse(refusals.badRequest, `${field}: must be at most ${most}, and is ${given}`, { field });
  }
}
