import assert from "node:assert/strict";
import { test } from "node:test";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { factsOf, on, toVersion8 } from "../../../../test/kit/facts/database-scene.ts";
import {
  substance,
  withActive,
  withEmptyStart,
  withFailedCreation,
  withLack,
  withLoss,
  withProgress,
  withRecovered,
  withWaitReason,
  withRelaunch,
  withSitesAwaited,
  withSitesJoined,
  withReplica,
  withUpgradeFinished,
  withoutReplica,
} from "./changes.ts";

const recordOf = (over: Partial<DatabaseRecord> = {}): DatabaseRecord =>
  factsOf({ instances: [on(1, 1), on(2, 2)], record: over }).record;
const running = { uid: "a", name: "update_bdb", status: "running", progress: 0 } as const;
const idsOf = ({ shards }: DatabaseRecord): readonly number[] =>
  shards.flatMap((one) => one.instances.map(({ id }) => id));

test("a new replica gets an id that was never used, and no permission to start as primary", () => {
  const next = withReplica(recordOf(), 1, { node: 3, port: 20_009, storeVersion: "8.0" });
  assert.deepEqual(idsOf(next), [1, 2, 9]);
  assert.equal(next.nextInstance, 10);
  assert.equal(next.shards[0]?.instances.at(-1)?.launch, 0);
});

test("a replica goes; the primary never does, nor anything in the middle of a switchover", () => {
  assert.deepEqual(idsOf(withoutReplica(recordOf(), 1, 2)), [1]);
  assert.deepEqual(idsOf(withoutReplica(recordOf(), 1, 1)), [1, 2]);
  const switching = factsOf({ instances: [on(1, 1), on(2, 2)], shard: { switchover: { to: 2, epoch: 2 } } }).record;
  assert.deepEqual(idsOf(withoutReplica(switching, 1, 2)), [1, 2]);
});

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
  assert.deepEqual([next.status, next.lossReports, next.recovery], ["pending", [], undefined]);
});

test("a database is in recovery from its start to its service, and what it lacked is forgotten then", () => {
  const starting = withRelaunch(
    recordOf({ persistence: "aofAlways" }),
    { shard: 1, instance: 1 },
    { usedLaunch: 4 },
    "t1",
  );
  assert.deepEqual([starting.status, starting.recovery], ["recovery", { lacks: "" }]);
  const lacking = withLack(starting, "a volume");
  assert.deepEqual([lacking.status, lacking.recovery], ["recovery", { lacks: "a volume" }]);
  const back = withRecovered(lacking, "t2");
  assert.deepEqual([back.status, back.recovery], ["active", undefined]);
});

test("a change that ran when the engines were lost goes on after the recovery", () => {
  const before = recordOf({ status: "active-change-pending", lastAction: running });
  assert.equal(withRecovered(withLack(before, "a volume"), "t2").status, "active-change-pending");
});

test("an empty start is allowed with one more launch, and reported", () => {
  const next = withEmptyStart(recordOf({ persistence: "aofAlways" }), 1, 1, "t1");
  assert.deepEqual([next.shards[0]?.instances[0]?.launch, next.recovery?.empty], [2, true]);
  assert.match(next.lossReports[0] ?? "", /starts empty: the volume of its primary is gone/);
});

test("a creation that fails is a failed action with its error, and a completed one when it succeeds after all", () => {
  const failed = withFailedCreation(recordOf({ status: "pending", lastAction: running }), "no module", "t1");
  assert.deepEqual(
    [failed.status, failed.lastAction?.status, failed.lastAction?.error],
    ["creation-failed", "failed", "no module"],
  );
  assert.deepEqual(withActive(failed, "t2").lastAction, { ...running, status: "completed", progress: 100 });
});

test("the clients of a site that waits for others are kept waiting until it has joined, also when it starts again and serves", () => {
  const waiting = withSitesAwaited(recordOf({ activeActive: { guid: "a", site: 1 }, persistence: "disabled" }));
  const again = withRecovered(withRelaunch(waiting, { shard: 1, instance: 1 }, { usedLaunch: 4 }, "t1"), "t2");
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

test("ten loss reports are kept, newest last", () => {
  const many = Array.from({ length: 12 }, (_, index) => `loss ${index}`).reduce(withLoss, recordOf());
  assert.equal(many.lossReports.length, 10);
  assert.equal(many.lossReports.at(-1), "loss 11");
});

test("a finished upgrade leaves the new version, an active database and a completed action", () => {
  const { upgrade, storeVersion, status, lastAction } = withUpgradeFinished(
    recordOf({ ...toVersion8, lastAction: running, waitingFor: "x" }),
    "t1",
  );
  assert.deepEqual([upgrade, storeVersion, status], [undefined, "8.0", "active"]);
  assert.deepEqual([lastAction?.status, lastAction?.progress], ["completed", 100]);
});

test("an active database waits for nothing, and a failed action stays failed", () => {
  const failed = { ...running, status: "failed" } as const;
  const next = withActive(recordOf({ status: "pending", waitingFor: "x", lastAction: failed }), "t1");
  assert.deepEqual([next.status, next.waitingFor, next.lastAction?.status], ["active", undefined, "failed"]);
});

test("progress never goes back", () => {
  const half = withProgress(recordOf({ lastAction: running }), 50);
  assert.equal(withProgress(half, 25).lastAction?.progress, 50);
});

test("a reason belongs to the upgrade while there is one", () => {
  assert.equal(withWaitReason(recordOf(toVersion8), "why").upgrade?.waitingFor, "why");
  assert.equal(withWaitReason(recordOf(), "why").waitingFor, "why");
  assert.equal(withWaitReason(recordOf({ ...toVersion8, waitingFor: "before" }), "").waitingFor, undefined);
  const found = { id: "MemoryTooSmall", severity: "wait", evidence: "a", remedy: "b" } as const;
  const obstructed = withWaitReason(recordOf(toVersion8), "why", found);
  assert.deepEqual(obstructed.obstacle, found);
  for (const next of [
    withWaitReason(obstructed, "another"),
    withWaitReason(obstructed, ""),
    withUpgradeFinished(obstructed, "now"),
  ])
    assert.equal(next.obstacle, undefined);
  assert.equal(substance(obstructed), substance(recordOf(toVersion8)));
});

test("why it waits and how far it is do not count as a change; everything else does", () => {
  const record = recordOf({ lastAction: running });
  assert.equal(substance(withProgress(withWaitReason(record, "why"), 50)), substance(record));
  assert.notEqual(substance(withoutReplica(record, 1, 2)), substance(record));
});
