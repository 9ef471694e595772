import assert from "node:assert/strict";
import { test } from "node:test";
import { reshapedRecord } from "../../../test/kit/facts/reshaped.ts";
import type { DatabaseRecord } from "../api/records.ts";
import {
  copyAgain,
  copyAfterReturn,
  holdForTable,
  isServed,
  serveTable,
  tableMoveBegun,
  tableMoveOf,
  takeTableBack,
  withoutFurtherShards,
  type TableMove,
} from "./reshape-record.ts";
import { whyNoSuccessor, whyNotServable } from "./slots-of-shards.ts";

const NOW = "2026-01-01T00:00:00Z";
const copying = reshapedRecord();
const FAILED = { code: "MOVER_TARGET_GONE", why: "it ended" };
const move: TableMove = { tableEpoch: 1, attempt: 1, serving: tableMoveOf(copying)?.serving ?? "" };
const holding = must(holdForTable(copying, move));
const served = must(serveTable(holding, move, NOW));
const back = takeTableBack(holding, 1);

function must(record: DatabaseRecord | undefined): DatabaseRecord {
  assert.ok(record !== undefined);
  return record;
}

test("each step of a switch may follow the one before in the store", () => {
  const steps = [copying, holding, served, withoutFurtherShards(served)];
  for (const [at, record] of steps.slice(1).entries())
    assert.equal(whyNoSuccessor(steps[at] ?? copying, record), undefined);
  assert.equal(whyNoSuccessor(holding, back), undefined);
  for (const isAnew of [false, true])
    assert.equal(
      whyNoSuccessor(back, copyAfterReturn(back, 2, { isAnew, mayBeReleased: isAnew, now: NOW })),
      undefined,
    );
  assert.equal(whyNoSuccessor(copying, copyAgain(copying, NOW, FAILED)), undefined);
});

test("the shards to be serve with all their replicas in sync, and the former primaries stay alone", () => {
  assert.deepEqual(
    served.shards.map(({ id, inSync }) => [id, inSync]),
    [
      [2, { epoch: 1, members: [4] }],
      [3, undefined],
    ],
  );
  const { phase, shards, until } = must(served).reshape ?? {};
  assert.deepEqual([phase, until, served.tableEpoch], ["retire", NOW, 1]);
  assert.deepEqual(
    shards?.map(({ id, instances, inSync }) => [id, instances.map((one) => one.id), inSync]),
    [[1, [1], undefined]],
  );
  assert.ok(isServed(served, move) && isServed(withoutFurtherShards(served), move) && !isServed(holding, move));
});

test("a leader whose switch was taken back goes no further, also when the next one has got as far", () => {
  const again = copyAfterReturn(back, 2, { isAnew: false, mayBeReleased: false, now: NOW });
  assert.deepEqual([again.reshape?.phase, again.reshape?.tableEpoch, again.reshape?.attempt], ["copy", 3, 1]);
  const next = must(tableMoveOf(again) && holdForTable(again, { ...move, tableEpoch: 3 }));
  for (const record of [back, again, next]) assert.equal(serveTable(record, move, NOW), undefined);
});

test("no step follows when a shard that serves has another primary: the mover has followed the former one", () => {
  const failedOver = (record: DatabaseRecord): DatabaseRecord => ({
    ...record,
    shards: record.shards.map((shard) => ({ ...shard, primary: 2, epoch: 2 })),
  });
  assert.equal(holdForTable(failedOver(copying), move), undefined);
  assert.equal(serveTable(failedOver(holding), move, NOW), undefined);
});

test("shards that may have been promoted are filled anew, and not before the former ones serve", () => {
  assert.deepEqual([back.reshape?.phase, back.reshape?.tableEpoch], ["return", 2]);
  const anew = { isAnew: true, mayBeReleased: true, now: NOW };
  const again = copyAfterReturn(back, 2, anew);
  assert.deepEqual([again.reshape?.phase, again.reshape?.tableEpoch, again.reshape?.attempt], ["copy", 3, 2]);
  assert.deepEqual([back.tableEpoch ?? 0, again.tableEpoch], [0, 2], "above the epoch that a proxy may have got");
  assert.equal(copyAfterReturn(back, 2, { ...anew, mayBeReleased: false }).tableEpoch, undefined, "or the same one");
  assert.equal(copyAfterReturn(back, 1, anew), back, "another leader has taken it back once more");
});

test("what has not begun is not taken back, and in the middle of a switch nothing is removed", () => {
  for (const record of [copying, served, back]) assert.equal(takeTableBack(record, 1), record);
  for (const record of [holding, back]) {
    assert.equal(withoutFurtherShards(record), record);
    assert.equal(copyAgain(record, NOW, FAILED), record);
  }
  assert.equal(withoutFurtherShards(copying).reshape, undefined);
});

/** Shard 2 of the database that has just been served is replaced by two, and shard 3 is kept. */
function keeping(): DatabaseRecord {
  const record: DatabaseRecord = { ...withoutFurtherShards(served), nextShard: 4 };
  const slots = [[{ from: 0, to: 99 }], [{ from: 100, to: 8_191 }]] as const;
  const shards = slots.map((own, at) => {
    const id = 6 + at;
    const instances = [{ id, node: 1, port: 20_200 + at, storeVersion: "7.2", launch: 0 }] as const;
    return { id: 4 + at, epoch: 1, primary: id, instances, slots: own, ...(at === 0 ? { share: 700 } : {}) };
  });
  const reshape = {
    tableEpoch: 2,
    phase: "copy",
    shards,
    mover: { node: 3, ports: [1, 2] },
    attempt: 1,
    since: NOW,
  } as const;
  const named = [...slots, [{ from: 8_192, to: 16_383 }]].map((own) => ({ slots: own }));
  const next = { ...record, nextInstance: 8, nextShard: 6, shardCount: 3, shardSlots: named, reshape };
  assert.equal(whyNoSuccessor(record, next), undefined);
  return next;
}

test("a shard with which those to be share no slot is kept as it is, and only the others retire", () => {
  const begun = keeping();
  const kept = begun.shards.find(({ id }) => id === 3);
  const second = tableMoveOf(begun);
  assert.ok(second !== undefined);
  const ready = must(holdForTable(begun, second));
  assert.deepEqual(tableMoveBegun(ready), second, "a leader that finds it knows which switch it is");
  for (const record of [begun, back]) assert.equal(tableMoveBegun(record), undefined);
  const after = must(serveTable(ready, second, NOW));
  assert.equal(whyNoSuccessor(ready, after), undefined);
  assert.deepEqual(
    after.shards.map(({ id, share }) => [id, share]),
    [
      [4, 700],
      [5, undefined],
      [3, undefined],
    ],
  );
  assert.equal(after.shards[2], kept);
  assert.deepEqual(
    after.reshape?.shards.map(({ id, instances }) => [id, instances.length]),
    [[2, 1]],
  );
  assert.equal(after.shardSlots, undefined, "what was asked for is there");
  assert.equal(whyNoSuccessor(after, withoutFurtherShards(after)), undefined);
  const others = [{ slots: [{ from: 0, to: 16_383 }] }];
  const asked = serveTable({ ...ready, shardSlots: others, shardCount: 1 }, second, NOW);
  assert.deepEqual(asked?.shardSlots, others, "what was asked for meanwhile comes next");
});

test("new shards have the slots of those that they replace, and no other", () => {
  const begun = keeping();
  const { reshape } = begun;
  assert.ok(reshape !== undefined);
  const [first, second] = reshape.shards;
  assert.ok(first !== undefined && second !== undefined);
  const without = { ...begun, reshape: { ...reshape, shards: [first] } };
  assert.match(whyNotServable(without) ?? "", /not each slot has exactly one of the further shards, or of those/);
  const more = { ...second, slots: [{ from: 100, to: 8_192 }] };
  assert.match(whyNotServable({ ...begun, reshape: { ...reshape, shards: [first, more] } }) ?? "", /not each slot/);
  assert.match(
    whyNotServable({ ...begun, reshape: { ...reshape, shards: [], mover: { node: 3, ports: [] } } }) ?? "",
    /no further shard/,
  );
});
