import assert from "node:assert/strict";
import { test } from "node:test";
import type { DatabaseRecord } from "../api/records.ts";
import { factsOf, on } from "../../../test/kit/facts/database-scene.ts";
import { twoShards } from "../../../test/kit/facts/two-shards.ts";
import { withSitesAwaited, withSitesJoined } from "./changes.ts";
import {
  lacksText,
  withAdopted,
  withConsent,
  withEmptyStart,
  withLack,
  withRecovered,
  withRelaunch,
} from "./recovery-changes.ts";

const recordOf = (over: Partial<DatabaseRecord> = {}): DatabaseRecord =>
  factsOf({ instances: [on(1, 1), on(2, 2)], record: over }).record;
const running = { uid: "a", name: "update_bdb", status: "running", progress: 0 } as const;
const recoveries = ({ shards }: DatabaseRecord) => shards.map(({ recovery }) => recovery);

for (const [persistence, loss] of [
  ["aofAlways", undefined],
  ["aofEverySecond", /last second/],
  ["snapshotEvery1Hour", /since its last snapshot/],
  ["disabled", /its data is gone/],
] as const) {
  test(`the only copy starts again with persistence ${persistence}: what may be missing is reported`, () => {
    const next = withRelaunch(recordOf({ persistence }), { shard: 1, instance: 1 }, { usedLaunch: 4 }, "t1");
    assert.equal(next.shards[0]?.instances[0]?.launch, 5);
    if (loss === undefined) assert.deepEqual(next.lossReports, []);
    else assert.match(next.lossReports[0] ?? "", loss);
  });
}

for (const persistence of ["aofEverySecond", "snapshotEvery12Hour"] as const) {
  test(`an engine that was asked to end has lost nothing with persistence ${persistence}`, () => {
    const next = withRelaunch(
      recordOf({ persistence }),
      { shard: 1, instance: 1 },
      { usedLaunch: 4, endedCleanly: true },
      "t1",
    );
    assert.deepEqual([next.shards[0]?.instances[0]?.launch, next.lossReports], [5, []]);
  });
}

test("a new database that starts again has lost nothing", () => {
  const next = withRelaunch(
    recordOf({ persistence: "disabled", status: "pending" }),
    { shard: 1, instance: 1 },
    { usedLaunch: 1 },
    "t1",
  );
  assert.deepEqual([next.status, next.lossReports, ...recoveries(next)], ["pending", [], undefined]);
});

test("a database is in recovery from its start to its service, and what it lacked is forgotten then", () => {
  const starting = withRelaunch(
    recordOf({ persistence: "aofAlways" }),
    { shard: 1, instance: 1 },
    { usedLaunch: 4 },
    "t1",
  );
  assert.deepEqual([starting.status, ...recoveries(starting)], ["recovery", { lacks: "" }]);
  const lacking = withLack(starting, 1, "a volume");
  assert.deepEqual([lacking.status, ...recoveries(lacking)], ["recovery", { lacks: "a volume" }]);
  const back = withRecovered(lacking, 1, "t2");
  assert.deepEqual([back.status, ...recoveries(back)], ["active", undefined]);
});

test("a change that ran when the engines were lost goes on after the recovery", () => {
  const before = recordOf({ status: "active-change-pending", lastAction: running });
  assert.equal(withRecovered(withLack(before, 1, "a volume"), 1, "t2").status, "active-change-pending");
});

test("an empty start is allowed with one more launch, and reported", () => {
  const next = withEmptyStart(recordOf({ persistence: "aofAlways" }), 1, 1, "t1");
  assert.deepEqual([next.shards[0]?.instances[0]?.launch, next.shards[0]?.recovery?.empty], [2, true]);
  assert.match(next.lossReports[0] ?? "", /starts empty: the volume of its primary is gone/);
});

test("the clients of a site that waits for others are kept waiting until it has joined, also when it starts again and serves", () => {
  const waiting = withSitesAwaited(recordOf({ activeActive: { guid: "a", site: 1 }, persistence: "disabled" }));
  const again = withRecovered(withRelaunch(waiting, { shard: 1, instance: 1 }, { usedLaunch: 4 }, "t1"), 1, "t2");
  assert.equal(again.awaitsSites, true);
  assert.equal("awaitsSites" in withSitesJoined(again), false);
});

test("without persistence a clean end keeps nothing either", () => {
  const next = withRelaunch(
    recordOf({ persistence: "disabled" }),
    { shard: 1, instance: 1 },
    { usedLaunch: 4, endedCleanly: true },
    "t1",
  );
  assert.match(next.lossReports[0] ?? "", /its data is gone/);
});

const lacking = (over: Partial<DatabaseRecord> = {}): DatabaseRecord =>
  withLack(
    withLack(twoShards({ record: { persistence: "aofAlways", ...over } }).record, 1, "the first"),
    2,
    "the second",
  );

test("a database of two shards is in recovery until the last of them serves again", () => {
  const both = lacking();
  assert.deepEqual([both.status, ...recoveries(both)], ["recovery", { lacks: "the first" }, { lacks: "the second" }]);
  const one = withRecovered(both, 1, "t2");
  assert.deepEqual([one.status, ...recoveries(one)], ["recovery", undefined, { lacks: "the second" }]);
  const none = withRecovered(one, 2, "t3");
  assert.deepEqual([none.status, ...recoveries(none)], ["active", undefined, undefined]);
});

test("a shard that goes into recovery while another one is in it has a recovery of its own", () => {
  const { record } = twoShards({ record: { persistence: "aofAlways" } });
  const first = withLack(record, 1, "the first");
  const both = withRelaunch(first, { shard: 2, instance: 3 }, { usedLaunch: 1 }, "t2");
  assert.deepEqual(recoveries(both), [{ lacks: "the first" }, { lacks: "" }]);
});

test("consent to what one shard lacks allows no other shard to start empty", () => {
  const both = lacking();
  const agreed = withConsent(both, both.shards.slice(0, 1));
  assert.deepEqual(recoveries(agreed), [{ lacks: "the first", consent: true }, { lacks: "the second" }]);
  assert.equal(lacksText(both), "the first; the second");
  assert.equal(lacksText(agreed), "the second", "a user is shown what is still asked");
  const empty = withEmptyStart(agreed, 1, 1, "t2");
  assert.deepEqual(recoveries(empty)[1], { lacks: "the second" });
  assert.match(empty.lossReports[0] ?? "", /shard 1 of "orders" starts empty/);
});

test("consent does not count for a shard that lacks something else by now", () => {
  const seen = lacking();
  const now = withLack(seen, 2, "more than that");
  assert.deepEqual(recoveries(withConsent(now, seen.shards)), [
    { lacks: "the first", consent: true },
    { lacks: "more than that" },
  ]);
  const later = withLack(seen, 1, "other data");
  assert.equal(withConsent(later, seen.shards.slice(0, 1)), later, "nothing was agreed to");
});

test("data that was set aside is adopted by one shard alone", () => {
  const next = withAdopted(lacking(), 2, { ...on(9, 3), launch: 0 }, "t2");
  assert.deepEqual(
    next.shards.map(({ primary, epoch }) => [primary, epoch]),
    [
      [1, 1],
      [9, 2],
    ],
  );
  assert.deepEqual(recoveries(next), [{ lacks: "the first" }, { lacks: "" }]);
  assert.match(next.lossReports[0] ?? "", /shard 2 of "orders" comes back from what node 3 had set aside/);
});

test("of two shards that start again and again, each outage is reported once", () => {
  const relaunch = (record: DatabaseRecord, shard: number, instance: number): DatabaseRecord =>
    withRelaunch(record, { shard, instance }, { usedLaunch: 1 }, "t");
  const { record } = twoShards({ record: { persistence: "aofEverySecond" } });
  const once = relaunch(relaunch(record, 1, 1), 2, 3);
  assert.equal(once.lossReports.length, 2);
  assert.equal(relaunch(relaunch(once, 1, 1), 2, 3).lossReports.length, 2);
  const again = relaunch(withRecovered(once, 1, "t2"), 1, 1);
  assert.equal(again.lossReports.length, 3, "another outage");
});
