import assert from "node:assert/strict";
import { test } from "node:test";
import type { DatabaseRecord } from "../api/records.ts";
import { factsOf, on, toVersion8 } from "../../../test/kit/facts/database-scene.ts";
import { recordStep, type RecordStep } from "./record-step.ts";

const recordOf = (over: Partial<DatabaseRecord> = {}): DatabaseRecord =>
  factsOf({ instances: [on(1, 1), on(2, 2)], record: over }).record;
const running = { uid: "a", name: "update_bdb", status: "running", progress: 0 } as const;
const idsOf = ({ shards }: DatabaseRecord): readonly number[] =>
  shards.flatMap((one) => one.instances.map(({ id }) => id));
const after = (step: RecordStep, record: DatabaseRecord): DatabaseRecord => recordStep(step, new Map(), "t1")(record);

test("a new replica gets an id that was never used, and no permission to start as primary", () => {
  const next = after({ kind: "add-replica", shard: 1, node: 3, port: 20_009, storeVersion: "8.0" }, recordOf());
  assert.deepEqual(idsOf(next), [1, 2, 9]);
  assert.equal(next.nextInstance, 10);
  assert.equal(next.shards[0]?.instances.at(-1)?.launch, 0);
});

test("a replica goes; the primary never does, nor anything in the middle of a switchover", () => {
  assert.deepEqual(idsOf(after({ kind: "retire", shard: 1, instance: 2 }, recordOf())), [1]);
  assert.deepEqual(idsOf(after({ kind: "retire", shard: 1, instance: 1 }, recordOf())), [1, 2]);
  const switching = factsOf({ instances: [on(1, 1), on(2, 2)], shard: { switchover: { to: 2, epoch: 2 } } }).record;
  assert.deepEqual(idsOf(after({ kind: "retire", shard: 1, instance: 2 }, switching)), [1, 2]);
});

test("a creation that fails is a failed action with its error, and a completed one when it succeeds after all", () => {
  const failed = after(
    { kind: "creation-failed", reason: "no module" },
    recordOf({ status: "pending", lastAction: running }),
  );
  assert.deepEqual(
    [failed.status, failed.lastAction?.status, failed.lastAction?.error],
    ["creation-failed", "failed", "no module"],
  );
  assert.deepEqual(after({ kind: "activate" }, failed).lastAction, { ...running, status: "completed", progress: 100 });
});

test("a finished upgrade leaves the new version, an active database and a completed action", () => {
  const { upgrade, storeVersion, status, lastAction } = after(
    { kind: "finish-upgrade" },
    recordOf({ ...toVersion8, lastAction: running, waitingFor: "x" }),
  );
  assert.deepEqual([upgrade, storeVersion, status], [undefined, "8.0", "active"]);
  assert.deepEqual([lastAction?.status, lastAction?.progress], ["completed", 100]);
});

test("an active database waits for nothing, and a failed action stays failed", () => {
  const failed = { ...running, status: "failed" } as const;
  const next = after({ kind: "activate" }, recordOf({ status: "pending", waitingFor: "x", lastAction: failed }));
  assert.deepEqual([next.status, next.waitingFor, next.lastAction?.status], ["active", undefined, "failed"]);
});
