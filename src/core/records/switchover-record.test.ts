import assert from "node:assert/strict";
import { test } from "node:test";
import type { DatabaseRecord, InstanceRecord } from "../api/records.ts";
import {
  begin,
  finish,
  isDone,
  isUnderWay,
  moveBegun,
  moveTo,
  recordSuccession,
  takeBack,
  withEpochPast,
  withLossReport,
  withdraw,
} from "./switchover-record.ts";
import type { SwitchoverMove } from "./switchover-record.ts";
import { settingsWith } from "../../../test/kit/facts/settings.ts";

const instance = (id: number): InstanceRecord => ({ id, node: id, port: 20_000 + id, storeVersion: "7.2", launch: 0 });
const RECORD: DatabaseRecord = {
  uid: 1,
  name: "db",
  ...settingsWith({ replication: true }),
  port: 10_000,
  storeVersion: "7.2",
  status: "active",
  shards: [{ id: 1, epoch: 4, primary: 1, instances: [instance(1), instance(2), instance(3)] }],
  nextInstance: 4,
  lossReports: [],
  createdTime: "",
  lastChangedTime: "",
};
const MOVE: SwitchoverMove = { shard: 1, from: 1, to: 2, epoch: 5 };
const begun = begin(RECORD, MOVE) ?? RECORD;

test("a move begins the next epoch; a move to the primary itself, or to no instance, is none", () => {
  assert.deepEqual(moveTo(RECORD, 1, 2), MOVE);
  for (const [shard, to] of [
    [1, 1],
    [1, 9],
    [2, 2],
  ] as const)
    assert.equal(moveTo(RECORD, shard, to), undefined);
});

test("a move that has begun is under way, is read back as the same move, and does not begin twice", () => {
  assert.ok(isUnderWay(begun, MOVE));
  assert.deepEqual(begun.shards.map(moveBegun), [MOVE]);
  assert.equal(begin(begun, MOVE), undefined);
  assert.equal(begin(begun, { ...MOVE, to: 3 }), undefined);
});

test("no move begins on a primary or an epoch that has passed", () => {
  assert.equal(begin(RECORD, { ...MOVE, from: 3 }), undefined);
  assert.equal(begin(RECORD, { ...MOVE, epoch: 4 }), undefined);
});

test("finishing changes primary and epoch together, once", () => {
  const done = finish(begun, MOVE);
  assert.deepEqual(done.shards, [{ ...RECORD.shards[0], primary: 2, epoch: 5 }]);
  assert.ok(isDone(done, MOVE));
  assert.equal(finish(done, MOVE), done);
  assert.equal(finish(RECORD, MOVE), RECORD);
});

test("withdrawing leaves the record as it was before", () => {
  assert.deepEqual(withdraw(begun, MOVE), RECORD);
  assert.equal(withdraw(RECORD, MOVE), RECORD);
});

test("taking back passes the epoch that was intended, so that the leader that began it is refused", () => {
  assert.deepEqual(takeBack(begun, MOVE).shards, [{ ...RECORD.shards[0], epoch: 6 }]);
  assert.equal(finish(takeBack(begun, MOVE), MOVE).shards[0]?.primary, 1);
});

test("a succession needs no intent and ends any; it comes too late for another epoch", () => {
  const next = recordSuccession(begun, { ...MOVE, to: 3 });
  assert.deepEqual(next.shards, [{ ...RECORD.shards[0], primary: 3, epoch: 5 }]);
  assert.equal(recordSuccession(next, MOVE), next);
});

test("a record that was restored from an older copy gets an epoch past what was served, unless a move is under way", () => {
  assert.deepEqual(withEpochPast(RECORD, 1, 9).shards, [{ ...RECORD.shards[0], epoch: 10 }]);
  assert.deepEqual(withEpochPast(RECORD, 1, 4), RECORD);
  assert.deepEqual(withEpochPast(begun, 1, 9), begun);
  const kept = { ...RECORD, shards: RECORD.shards.map((shard) => ({ ...shard, inSync: { epoch: 4, members: [2] } })) };
  assert.equal(withEpochPast(kept, 1, 9).shards[0]?.inSync, undefined);
});

test("a set of replicas in sync goes over with a switchover, and ends with a failover", () => {
  const kept = {
    ...RECORD,
    shards: RECORD.shards.map((shard) => ({ ...shard, inSync: { epoch: 4, members: [2, 3] } })),
  };
  const moved = finish(begin(kept, MOVE) ?? kept, MOVE);
  assert.deepEqual(moved.shards[0]?.inSync, { epoch: 5, members: [3, 1] });
  assert.deepEqual(recordSuccession(kept, MOVE).shards[0]?.inSync, { epoch: 5, members: [] });
  assert.deepEqual(takeBack(begin(kept, MOVE) ?? kept, MOVE).shards[0]?.inSync, { epoch: 6, members: [2, 3] });
  const old = { ...RECORD, shards: RECORD.shards.map((shard) => ({ ...shard, inSync: { epoch: 3, members: [2] } })) };
  assert.deepEqual(recordSuccession(old, MOVE).shards[0]?.inSync, { epoch: 3, members: [2] }, "void, as it was");
});

test("the ten newest loss reports stay", () => {
  const sentences = Array.from({ length: 12 }, (_, n) => `${n}`);
  const record = sentences.reduce<DatabaseRecord>((next, sentence) => withLossReport(next, MOVE, sentence), RECORD);
  assert.deepEqual(record.lossReports, sentences.slice(2));
  assert.equal(withLossReport(record, MOVE, undefined), record);
});
