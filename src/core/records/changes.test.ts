import assert from "node:assert/strict";
import { test } from "node:test";
import type { DatabaseRecord } from "../api/records.ts";
import { factsOf, on, toVersion8 } from "../../../test/kit/facts/database-scene.ts";
import {
  substance,
  withActive,
  withFailedCreation,
  withLoss,
  withProgress,
  withWaitReason,
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

test("a creation that fails is a failed action with its error, and a completed one when it succeeds after all", () => {
  const failed = withFailedCreation(recordOf({ status: "pending", lastAction: running }), "no module", "t1");
  assert.deepEqual(
    [failed.status, failed.lastAction?.status, failed.lastAction?.error],
    ["creation-failed", "failed", "no module"],
  );
  assert.deepEqual(withActive(failed, "t2").lastAction, { ...running, status: "completed", progress: 100 });
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
