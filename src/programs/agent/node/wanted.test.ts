import assert from "node:assert/strict";
import { test } from "node:test";
import { reshapedRecord } from "../../../../test/kit/facts/reshaped.ts";
import { twoShards } from "../../../../test/kit/facts/two-shards.ts";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { nodeInstances } from "./wanted.ts";

const held = {
  set: { password: "", others: [] },
  revision: 0,
  access: { clients: [""] },
  step: 0,
  certificate: undefined,
};
const means = {
  addressOf: () => "127.0.0.1",
  modulesOf: () => [],
  certificate: undefined,
  fullNodes: [] as readonly number[],
};
/** ids of the instances that may start in an empty folder. */
const fresh = (record: DatabaseRecord): readonly number[] =>
  [1, 2, 3]
    .flatMap((node) => nodeInstances(record, node, held, means))
    .flatMap((wanted) => (wanted.fresh ? [wanted.instance] : []));

test("the permission to start empty is that of the instances of one shard", () => {
  const empty = { recovery: { lacks: "its data", consent: true, empty: true } } as const;
  assert.deepEqual(fresh(twoShards({ record: { status: "recovery" }, first: empty }).record), [1, 2]);
  assert.deepEqual(fresh(twoShards({ record: { status: "recovery" }, second: empty }).record), [3, 4]);
  assert.deepEqual(fresh(twoShards({}).record), []);
});

test("an engine may use the share of its shard, by slots", () => {
  const { record } = twoShards({
    record: { memoryBytes: 400e6 },
    first: { slots: [{ from: 0, to: 12_287 }] },
    second: { slots: [{ from: 12_288, to: 16_383 }] },
  });
  const limits = [1, 2, 3]
    .flatMap((node) => nodeInstances(record, node, held, means))
    .map(({ instance, directives }) => [instance, directives["maxmemory"]]);
  assert.deepEqual(Object.fromEntries(limits), { 1: "300000000", 2: "300000000", 3: "100000000", 4: "100000000" });
});

test("engines of a site tell what expires from what they evict from their start on: they are followed later", () => {
  const { record } = twoShards({ record: { activeActive: { guid: "g", site: 1 } } });
  const found = nodeInstances(record, 1, held, means).map(({ directives }) => [
    directives["lazyfree-lazy-expire"],
    directives["lazyfree-lazy-eviction"],
  ]);
  assert.ok(found.length > 0);
  for (const each of found) assert.deepEqual(each, ["yes", "no"]);
});

test("a node runs the engines of shards that are to be, and leaves one down that ends while they become primaries", () => {
  const wanted = (phase: "copy" | "hold" | "return") =>
    [1, 2, 3]
      .flatMap((node) => nodeInstances(reshapedRecord(phase), node, held, means))
      .filter(({ instance }) => instance > 2)
      .map(({ instance, role, primary, switching }) => [instance, role, primary?.port, switching]);
  assert.deepEqual(wanted("copy"), [
    [3, "replica", 20_101, false],
    [4, "replica", 20_003, false],
    [5, "replica", 20_102, false],
  ]);
  for (const phase of ["hold", "return"] as const)
    assert.deepEqual(wanted(phase), [
      [3, "primary", undefined, true],
      [4, "replica", 20_003, true],
      [5, "primary", undefined, true],
    ]);
});

test("each instance of a new database may start empty", () => {
  assert.deepEqual(fresh(twoShards({ record: { status: "pending" } }).record), [1, 2, 3, 4]);
});

test("writes are refused by the shard that has a copy on a full volume alone", () => {
  const refusing = (record: DatabaseRecord, ...fullNodes: readonly number[]): readonly number[] =>
    [1, 2, 3]
      .flatMap((node) => nodeInstances(record, node, held, { ...means, fullNodes }))
      .flatMap(({ instance, directives }) => (directives["maxmemory"] === "1" ? [instance] : []))
      .toSorted((one, other) => one - other);
  const { record } = twoShards({});
  assert.deepEqual(refusing(record, 1), [1, 2]);
  assert.deepEqual(refusing(record, 3), [3, 4]);
  assert.deepEqual(refusing(record, 2), [1, 2, 3, 4]);
  assert.deepEqual(refusing(record), []);
  const single = { ...record, shards: record.shards.slice(0, 1) };
  assert.deepEqual(refusing(single, 3), [1, 2], "what is there is of the only shard, also when its record is newer");
});
