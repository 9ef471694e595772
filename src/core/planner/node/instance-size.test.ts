import assert from "node:assert/strict";
import { test } from "node:test";
import { twoShards } from "../../../../test/kit/facts/two-shards.ts";
import { diskBytes } from "./disk-budget.ts";
import { diskBytesOn, instanceSize } from "./instance-size.ts";

const THREE_QUARTERS = [{ from: 0, to: 12_287 }];
const A_QUARTER = [{ from: 12_288, to: 16_383 }];
const { record } = twoShards({ first: { slots: THREE_QUARTERS }, second: { slots: A_QUARTER } });
const halves = twoShards({}).record;

test("an instance may use the share of its shard, by slots", () => {
  const settings = { memoryBytes: 400e6, persistence: "disabled" } as const;
  const memory = [{ slots: THREE_QUARTERS }, { slots: A_QUARTER }, {}].map(
    (shard) => instanceSize(settings, shard).memoryBytes,
  );
  assert.deepEqual(memory, [300e6, 100e6, 400e6]);
  assert.equal(instanceSize(settings, { slots: [] }).memoryBytes > 0, true, "none has no limit");
  assert.equal(instanceSize(settings, {}).diskBytes, diskBytes(settings));
});

test("on the volume of a node a database may take a copy of each shard that is there", () => {
  const [first, second] = record.shards.map((shard) => instanceSize(record, shard).diskBytes);
  assert.ok(first !== undefined && second !== undefined && first > second);
  assert.deepEqual(
    [1, 2, 3].map((node) => diskBytesOn(record, node)),
    [first, first + second, second],
  );
  assert.equal(diskBytesOn(record, 9), diskBytes(record), "of what is left there");
  assert.equal(diskBytesOn(halves, 1), diskBytesOn(halves, 3));
});
