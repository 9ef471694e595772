import assert from "node:assert/strict";
import { test } from "node:test";
import type { DatabaseRecord } from "../api/records.ts";
import { factsOf, on, toVersion8 } from "../../../test/kit/facts/database-scene.ts";
import { substance, withLoss, withProgress, withWaitReason } from "./changes.ts";
import { recordStep } from "./record-step.ts";

const recordOf = (over: Partial<DatabaseRecord> = {}): DatabaseRecord =>
  factsOf({ instances: [on(1, 1), on(2, 2)], record: over }).record;
const running = { uid: "a", name: "update_bdb", status: "running", progress: 0 } as const;

test("ten loss reports are kept, newest last", () => {
  const many = Array.from({ length: 12 }, (_, index) => `loss ${index}`).reduce(withLoss, recordOf());
  assert.equal(many.lossReports.length, 10);
  assert.equal(many.lossReports.at(-1), "loss 11");
});

test("a crash that costs each of many shards something pushes no report of theirs out", () => {
  const { shards } = recordOf();
  const record = recordOf({ shards: Array.from({ length: 40 }, () => shards).flat() });
  const reports = record.shards.map((_, index) => `loss ${index}`);
  assert.deepEqual(reports.reduce(withLoss, record).lossReports, reports);
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
    recordStep({ kind: "finish-upgrade" }, new Map(), "now")(obstructed),
  ])
    assert.equal(next.obstacle, undefined);
  assert.equal(substance(obstructed), substance(recordOf(toVersion8)));
});

test("why it waits and how far it is do not count as a change; everything else does", () => {
  const record = recordOf({ lastAction: running });
  assert.equal(substance(withProgress(withWaitReason(record, "why"), 50)), substance(record));
  assert.notEqual(
    substance(recordStep({ kind: "retire", shard: 1, instance: 2 }, new Map(), "now")(record)),
    substance(record),
  );
});
