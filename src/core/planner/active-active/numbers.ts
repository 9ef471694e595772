import type { ActiveActiveRecord, SiteNumbers } from "../../api/records.ts";

/** The highest number that a site may have: origins of operations are made of it. */
const MOST = 63;

/** The record with a number for each of its participants. The same record always gives the same numbers. */
export function numberSites(record: ActiveActiveRecord): ActiveActiveRecord & { readonly numbers: SiteNumbers } {
  const { numbers, participants, edit } = record;
  if (numbers !== undefined && isSameEdit(numbers.edit, edit)) return { ...record, numbers };
  const known = new Map(numbers?.given.map(({ name, id }) => [name, id]));
  const fresh = participants.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  const start = numbers?.next ?? 1;
  const given = participants.map(({ name }) => ({ name, id: known.get(name) ?? start + fresh.indexOf(name) }));
  const first = numbers === undefined ? fresh.length : lastOfFirst(numbers);
  return { ...record, numbers: { next: start + fresh.length, first, given, edit } };
}

/** The record as nodes of releases before 0.4.0 take it. */
export function withoutNumbers({ numbers: _numbers, ...record }: ActiveActiveRecord): ActiveActiveRecord {
  return record;
}

/** The number of a participant; undefined when it takes no part, or all that there are have been given. */
export function siteNumber(record: ActiveActiveRecord, participant: string): number | undefined {
  const id = numberSites(record).numbers.given.find(({ name }) => name === participant)?.id;
  return id !== undefined && id <= MOST ? id : undefined;
}

/** The site was not named when the database was made: other sites may have held data before it came. */
export function cameLater(record: ActiveActiveRecord, site: number): boolean {
  return site > lastOfFirst(numberSites(record).numbers);
}

function lastOfFirst({ first, next }: SiteNumbers): number {
  return first ?? next - 1;
}

function isSameEdit(a: ActiveActiveRecord["edit"], b: ActiveActiveRecord["edit"]): boolean {
  return a.count === b.count && a.author === b.author;
}
