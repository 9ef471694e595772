import assert from "node:assert/strict";
import { test } from "node:test";
import { settingsWith } from "../../../test/kit/facts/settings.ts";
import { evenSlots } from "../slots/shard-slots.ts";
import { newDatabase, type RequestedDatabase } from "./new-database.ts";
import { withRestored } from "./recovery-changes.ts";
import { whyNotServable } from "./slots-of-shards.ts";
import { toStored } from "./stored-database.ts";

const requested: RequestedDatabase = { ...settingsWith(), name: "orders", port: 10_000, storeVersion: "8.0" };
const action = { uid: "a", name: "create_bdb", status: "running", progress: 0 } as const;
const made = (...places: readonly (readonly number[])[]) => madeFor(false, places);
const madeFor = (awaitsData: boolean, places: readonly (readonly number[])[]) =>
  newDatabase(requested, {
    awaitsData,
    uid: 7,
    sizes: evenSlots(places.length).map((slots) => ({ slots })),
    places: places.map((nodes) => nodes.map((node, at) => ({ node, port: 20_000 + at }))),
    now: "t",
    action,
  });

test("a new database of one shard is stored so that older releases read it", () => {
  const record = made([1, 2]);
  assert.deepEqual(
    record.shards.map(({ slots, primary }) => [slots, primary]),
    [[undefined, 1]],
  );
  assert.equal(toStored(record).format, 1);
});

test("each shard has ids of its own, a primary that may start, and its part of the slots", () => {
  const { shards, nextInstance } = made([1, 2], [2, 3], [3, 1]);
  assert.deepEqual(
    shards.map(({ id, epoch, primary, instances }) => [id, epoch, primary, instances.map((one) => one.id)]),
    [
      [1, 1, 1, [1, 2]],
      [2, 1, 3, [3, 4]],
      [3, 1, 5, [5, 6]],
    ],
  );
  assert.deepEqual(
    shards.flatMap(({ instances }) => instances.map(({ launch }) => launch)),
    [1, 0, 1, 0, 1, 0],
  );
  assert.deepEqual(
    shards.map(({ slots }) => slots),
    [[{ from: 0, to: 5_461 }], [{ from: 5_462, to: 10_922 }], [{ from: 10_923, to: 16_383 }]],
  );
  assert.equal(nextInstance, 7);
});

test("any number of shards has each slot once", () => {
  for (const count of [2, 3, 5, 7, 100, 511, 512])
    assert.equal(whyNotServable(made(...Array.from({ length: count }, () => [1]))), undefined, `${count} shards`);
});

test("one that is made for a backup is in recovery, and no engine of it may start as primary", () => {
  const record = madeFor(true, [
    [1, 2],
    [2, 3],
  ]);
  assert.equal(record.status, "recovery");
  assert.deepEqual(
    record.shards.map(({ recovery, instances }) => [recovery?.awaited, instances.map(({ launch }) => launch)]),
    [
      [true, [0, 0]],
      [true, [0, 0]],
    ],
  );
  const restored = withRestored(record);
  assert.deepEqual(
    restored.shards.map(({ recovery, instances }) => [recovery, instances.map(({ launch }) => launch)]),
    [
      [{ lacks: "" }, [1, 0]],
      [{ lacks: "" }, [1, 0]],
    ],
  );
  assert.deepEqual(withRestored(restored), restored);
});
