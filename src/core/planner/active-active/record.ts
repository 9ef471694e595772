import type { ActiveActiveRecord } from "../../api/records.ts";
import { isDeeperThan, MOST_LEVELS } from "#kit/base/json-depth";
import { compareVersionText } from "#kit/base/version";
import { canonical } from "./canonical.ts";
import { siteNumber } from "./numbers.ts";

/** Deleted databases that are remembered, so that every participant learns of it. */
const REMEMBERED = 100;

/**
 * What two copies of the record of one database come to: the same in whichever order copies are joined, and however
 * often. The higher version holds, and the later edit of everything else; a deletion holds before all edits. Of two that
 * were made at once under one name the lower guid is kept.
 */
export function joinedRecord(a: ActiveActiveRecord, b: ActiveActiveRecord): ActiveActiveRecord {
  const isSecond = a.deleted === b.deleted ? isLater(b, a) : b.deleted === true;
  const holds = isSecond ? b : a;
  return {
    guid: a.guid < b.guid ? a.guid : b.guid,
    name: a.name,
    ...(holds.deleted === true ? { deleted: true } : {}),
    version: higher(a.version, b.version),
    participants: holds.participants,
    configuration: holds.configuration,
    edit: holds.edit,
    ...laterNumbers(a, b),
  };
}

/** The deletion of the database, as the edit of the participant that deletes it: `isDeletedFor` tells who that was. */
export function deletionBy(author: string, known: ActiveActiveRecord): ActiveActiveRecord {
  return { ...known, deleted: true, edit: { count: known.edit.count + 1, author } };
}

/**
 * False of a deletion by a participant that has been taken out of the live record, perhaps before it knew of that, and perhaps to come again
 * under another number: it deletes what that participant has, and nothing elsewhere. A deletion of a release that names no deleter holds.
 */
export function isDeletedFor(live: ActiveActiveRecord, deletion: ActiveActiveRecord): boolean {
  const { author } = deletion.edit;
  const takesPart = ({ participants }: ActiveActiveRecord): boolean => participants.some(({ name }) => name === author);
  if (!takesPart(deletion)) return true;
  return takesPart(live) && siteNumber(live, author) === siteNumber(deletion, author);
}

/** The deletion of the database that holds by all that these records say; undefined when there is none. */
export function deletionOf(records: readonly ActiveActiveRecord[], guid: string): ActiveActiveRecord | undefined {
  const all = records.filter((record) => record.guid === guid);
  const [first, ...rest] = all.filter(({ deleted }) => deleted !== true);
  const live = first && rest.reduce(joinedRecord, first);
  return all.find((record) => record.deleted === true && (live === undefined || isDeletedFor(live, record)));
}

/**
 * The records of a cluster with `record` joined in. One that is known to be deleted stays so, unless its deleter takes part no more; the deletion by such
 * a one changes nothing.
 */
export function withRecord(
  records: readonly ActiveActiveRecord[],
  record: ActiveActiveRecord,
): readonly ActiveActiveRecord[] {
  const known = recordOf(records, record.guid);
  if (known?.deleted === true) {
    if (record.deleted === true || isDeletedFor(record, known)) return records;
    return withRecord(
      records.filter((one) => one !== known),
      record,
    );
  }
  if (record.deleted === true && known !== undefined && !isDeletedFor(known, record)) return records;
  const isConcerned = (one: ActiveActiveRecord): boolean =>
    one.guid === record.guid || (record.deleted !== true && one.deleted !== true && one.name === record.name);
  const others = records.filter((one) => !isConcerned(one));
  return forgetOldest([...others, records.filter(isConcerned).reduce(joinedRecord, record)]);
}

/** The records that programs can go through: deeper ones, which releases before 0.5.0 accepted, are left out. */
export function usableRecords(records: readonly ActiveActiveRecord[]): readonly ActiveActiveRecord[] {
  return records.filter((record) => !isDeeperThan(record, MOST_LEVELS));
}

/** The record of the database of that name that is not deleted. */
export function liveRecord(records: readonly ActiveActiveRecord[], name: string): ActiveActiveRecord | undefined {
  return records.find((record) => record.name === name && record.deleted !== true);
}

/** The record of the database `guid`, whether deleted or not. */
export function recordOf(records: readonly ActiveActiveRecord[], guid: string): ActiveActiveRecord | undefined {
  return records.find((record) => record.guid === guid);
}

/** Participants of older releases edit without numbers: those of the last edit that gave some are kept. */
function laterNumbers(a: ActiveActiveRecord, b: ActiveActiveRecord): Pick<ActiveActiveRecord, "numbers"> {
  if (a.numbers === undefined || b.numbers === undefined) {
    const numbers = a.numbers ?? b.numbers;
    return numbers === undefined ? {} : { numbers };
  }
  const order = editOrder(a.numbers.edit, b.numbers.edit);
  const isFirst = order === 0 ? canonical(a.numbers) > canonical(b.numbers) : order > 0;
  return { numbers: isFirst ? a.numbers : b.numbers };
}

function isLater(a: ActiveActiveRecord, b: ActiveActiveRecord): boolean {
  const order = editOrder(a.edit, b.edit);
  if (order !== 0) return order > 0;
  return canonical([a.participants, a.configuration]) > canonical([b.participants, b.configuration]);
}

/** Positive when `a` is the later one, 0 when both are the same. */
function editOrder(a: ActiveActiveRecord["edit"], b: ActiveActiveRecord["edit"]): number {
  if (a.count !== b.count) return a.count - b.count;
  return a.author === b.author ? 0 : a.author > b.author ? 1 : -1;
}

function higher(a: string, b: string): string {
  const difference = compareVersionText(a, b) ?? 0;
  return difference === 0 ? (a < b ? a : b) : difference > 0 ? a : b;
}

function forgetOldest(records: readonly ActiveActiveRecord[]): readonly ActiveActiveRecord[] {
  const deleted = records.filter((record) => record.deleted === true);
  const forgotten = new Set(deleted.slice(0, Math.max(0, deleted.length - REMEMBERED)));
  return records.filter((record) => !forgotten.has(record));
}
