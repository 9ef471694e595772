import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../../test/kit/facts/database-scene.ts";
import type { DatabaseRecord, ShardRecord } from "../../../../core/api/records.ts";
import { slotsOfSite } from "../../../../core/slots/site-slices.ts";
import type { LinkedDatabaseStatus, SiteLinkStatus } from "../../../../ports/management/link-control.ts";
import { joinedSlices, slicesOfSite } from "./link-slices.ts";

const { record } = factsOf({ instances: [on(1, 1)] });
const [only] = record.shards;
assert.ok(only !== undefined);
const shards = slotsOfSite(2, 3).map((slots, at): ShardRecord => ({
  ...only,
  id: at + 1,
  slots,
  instances: [on(1, at + 1)],
}));
const database: DatabaseRecord = { ...record, shards, activeActive: { guid: "g", site: 1, slices: 3 } };
const link: SiteLinkStatus = {
  site: 2,
  state: "up",
  since: "2026-11-30T01:00:00.000Z",
  cause: "",
  lagMs: 5,
  behindMs: 1,
  unconfirmed: 2,
  receivedBytes: 10,
  sentBytes: 20,
  agreement: { agreedAt: "2026-11-30T02:00:00.000Z", cause: "", found: 1, differing: 0, differences: [] },
};
const NAMES = ["g:0-5461", "g:5462-10922", "g:10923-16383"];
const said = (more: Partial<SiteLinkStatus>, at = 1, engine = ""): readonly LinkedDatabaseStatus[] =>
  NAMES.map((guid, index) => ({
    guid,
    engine: index === at ? engine : "",
    hasJoined: true,
    knownKeys: 1,
    keptBytes: 100,
    sites: [index === at ? { ...link, ...more } : link],
  }));

async function joined(statuses: readonly LinkedDatabaseStatus[]): Promise<LinkedDatabaseStatus> {
  const all = joinedSlices(await slicesOfSite(database, () => Promise.resolve(statuses)));
  assert.ok(typeof all === "object");
  return all;
}

test("what all slices say together is the sum of what can be added, and the worst of all else", async () => {
  const all = await joined(
    said({ state: "syncing", since: "2026-11-30T03:00:00.000Z", cause: "It is behind.", lagMs: 50, behindMs: 9 }),
  );
  assert.equal(all.knownKeys, 3);
  assert.equal(all.keptBytes, 300);
  const [site] = all.sites;
  assert.equal(site?.state, "syncing");
  assert.equal(site.cause, "slots 5462-10922: It is behind.");
  assert.equal(site.since, "2026-11-30T03:00:00.000Z");
  assert.deepEqual([site.lagMs, site.behindMs, site.unconfirmed, site.sentBytes], [50, 9, 6, 60]);
  assert.equal(site.agreement?.found, 3);
});

test("what one slice does not know is not known of all", async () => {
  const { agreement: _never, behindMs: _unknown, ...nothing } = link;
  const statuses = said({});
  const all = await joined(statuses.map((one, at) => (at === 2 ? { ...one, sites: [nothing] } : one)));
  assert.equal(all.sites[0]?.agreement, undefined);
  assert.equal(all.sites[0]?.behindMs, undefined);
  const without = await joined(statuses.map((one, at) => (at === 0 ? { ...one, sites: [] } : one)));
  assert.deepEqual(without.sites, []);
});

test("nothing is captured while nothing is captured of one slice", async () => {
  assert.equal((await joined(said({}, 2, "It is full."))).engine, "slots 10923-16383: It is full.");
});

test("a link that has not begun with a slice is named, with its slots", async () => {
  const slices = await slicesOfSite(database, (node) => Promise.resolve(node === 1 ? said({}) : []));
  assert.deepEqual(
    slices.map(({ shard, slots }) => [shard.id, slots]),
    [
      [1, "0-5461"],
      [1, "5462-10922"],
      [2, "10923-16383"],
    ],
  );
  assert.equal(joinedSlices(slices), "slots 10923-16383: the link of node 2 has not begun with it");
});
