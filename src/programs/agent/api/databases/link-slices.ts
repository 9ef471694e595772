import type { DatabaseRecord, ShardRecord } from "../../../../core/api/records.ts";
import { primaryOf } from "../../../../core/planner/database/facts.ts";
import { slotsOf, slotsText } from "../../../../core/slots/shard-slots.ts";
import { namedSlices } from "../../../../core/slots/site-slices.ts";
import type { LinkedDatabaseStatus, SiteAgreement, SiteLinkStatus } from "../../../../ports/management/link-control.ts";

/** A slice of a site, where it is and what its link says: a sentence when that says nothing. */
export interface SliceStatus {
  readonly shard: ShardRecord;
  readonly slots: string;
  readonly status: LinkedDatabaseStatus | string;
}

/** The slices of a site with what `statusesOf` says of the links of a node: a sentence while that says nothing. */
export async function slicesOfSite(
  { activeActive, shards }: DatabaseRecord,
  statusesOf: (node: number) => Promise<readonly LinkedDatabaseStatus[] | string>,
): Promise<readonly SliceStatus[]> {
  if (activeActive === undefined) return [];
  const { guid, slices = 1 } = activeActive;
  const nodes = new Set(shards.map((shard) => primaryOf(shard).node));
  const said = new Map(await Promise.all([...nodes].map(async (node) => [node, await statusesOf(node)] as const)));
  return shards.flatMap((shard) => {
    const { node } = primaryOf(shard);
    const statuses = said.get(node) ?? [];
    return namedSlices(guid, slotsOf(shard), slices).map((named): SliceStatus => {
      const found = typeof statuses === "string" ? statuses : statuses.find((one) => one.guid === named.guid);
      const slots = named.slice === undefined ? slotsOf(shard) : [named.slice.slots];
      return { shard, slots: slotsText(slots), status: found ?? `the link of node ${node} has not begun with it` };
    });
  });
}

/** What the links say of all slices together: the worst of each. A sentence when one says nothing. */
export function joinedSlices(slices: readonly SliceStatus[]): LinkedDatabaseStatus | string {
  const [first, ...others] = slices;
  if (first === undefined) return "no database of this cluster is its site yet";
  if (others.length === 0) return first.status;
  const known: { readonly slots: string; readonly status: LinkedDatabaseStatus }[] = [];
  for (const { slots, status } of slices)
    if (typeof status === "string") return ofSlots(slots, status);
    else known.push({ slots, status });
  const statuses = known.map(({ status }) => status);
  const troubled = known.find(({ status }) => status.engine !== "");
  const ids = [...new Set(statuses.flatMap(({ sites }) => sites.map(({ site }) => site)))];
  return {
    guid: first.slots,
    engine: troubled === undefined ? "" : ofSlots(troubled.slots, troubled.status.engine),
    hasJoined: statuses.every(({ hasJoined }) => hasJoined),
    knownKeys: sumOf(statuses, ({ knownKeys }) => knownKeys),
    keptBytes: sumOf(statuses, ({ keptBytes }) => keptBytes),
    sites: ids.flatMap((id) => joinedSite(id, known) ?? []),
  };
}

/** Undefined while one slice does not know the site. */
function joinedSite(
  id: number,
  known: readonly { readonly slots: string; readonly status: LinkedDatabaseStatus }[],
): SiteLinkStatus | undefined {
  const links: (SiteLinkStatus & { readonly slots: string })[] = [];
  for (const { slots, status } of known) {
    const found = status.sites.find(({ site }) => site === id);
    if (found === undefined) return undefined;
    links.push({ ...found, slots });
  }
  const worst = links.toSorted((a, b) => RANK[a.state] - RANK[b.state])[0];
  if (worst === undefined) return undefined;
  const sinces = links.flatMap(({ state, since }) => (state === worst.state ? since : [])).toSorted();
  const [behindMs, unconfirmedMs] = [
    mostOf(links, (link) => link.behindMs),
    mostOf(links, (link) => link.unconfirmedMs),
  ];
  const agreement = joinedAgreement(links);
  return {
    site: id,
    state: worst.state,
    since: (worst.state === "up" ? sinces.at(-1) : sinces[0]) ?? worst.since,
    cause: worst.cause === "" ? "" : ofSlots(worst.slots, worst.cause),
    lagMs: Math.max(...links.map(({ lagMs }) => lagMs)),
    unconfirmed: sumOf(links, ({ unconfirmed }) => unconfirmed),
    ...(behindMs === undefined ? {} : { behindMs }),
    ...(unconfirmedMs === undefined ? {} : { unconfirmedMs }),
    receivedBytes: sumOf(links, ({ receivedBytes }) => receivedBytes),
    sentBytes: sumOf(links, ({ sentBytes }) => sentBytes),
    ...(agreement === undefined ? {} : { agreement }),
  };
}

/** Undefined while the keys of one slice were never compared. */
function joinedAgreement(links: readonly (SiteLinkStatus & { readonly slots: string })[]): SiteAgreement | undefined {
  const all: SiteAgreement[] = [];
  let cause = "";
  for (const { slots, agreement } of links) {
    if (agreement === undefined) return undefined;
    all.push(agreement);
    if (cause === "" && agreement.cause !== "") cause = ofSlots(slots, agreement.cause);
  }
  const [agreedAt, comparedAt] = [firstOf(all, (one) => one.agreedAt), firstOf(all, (one) => one.comparedAt)];
  return {
    ...(agreedAt === undefined ? {} : { agreedAt }),
    ...(comparedAt === undefined ? {} : { comparedAt }),
    cause,
    found: sumOf(all, ({ found }) => found),
    differing: sumOf(all, ({ differing }) => differing),
    differences: all.flatMap(({ differences }) => differences).slice(0, SHOWN),
  };
}

/** As many as each slice shows. */
const SHOWN = 5;
const RANK = { down: 0, syncing: 1, up: 2 } as const;

function ofSlots(slots: string, sentence: string): string {
  return `slots ${slots}: ${sentence}`;
}

function sumOf<T>(all: readonly T[], value: (one: T) => number): number {
  return all.reduce((sum, one) => sum + value(one), 0);
}

/** Undefined while one is not known. */
function mostOf<T>(all: readonly T[], value: (one: T) => number | undefined): number | undefined {
  const known = all.flatMap((one) => value(one) ?? []);
  return known.length === all.length ? Math.max(...known) : undefined;
}

/** The earliest instant; undefined while one has none. */
function firstOf<T>(all: readonly T[], value: (one: T) => string | undefined): string | undefined {
  const known = all.flatMap((one) => value(one) ?? []).toSorted();
  return known.length === all.length ? known[0] : undefined;
}
