import assert from "node:assert/strict";
import { test } from "node:test";
import { transferPlan } from "./transfer-plan.ts";

const MIB = 1_048_576;
const GIB = 1_024 * MIB;
const ROOM = 40 * MIB;

for (const [rule, sizes, plan] of [
  ["one shard alone has several parts on their way", [GIB], [1, 5 * MIB, 3]],
  ["several shards go two at a time", [GIB, GIB, 0], [2, 5 * MIB, 3]],
  ["empty shards are sent as all are", [0], [1, 5 * MIB, 3]],
  ["a large shard has parts that are large enough for ten thousand of them", [100 * GIB, GIB], [1, 13_421_773, 2]],
  ["the largest that can be sent goes with two parts in memory", [150 * GIB, GIB], [1, 20_132_660, 1]],
] as const)
  test(rule, () => {
    const [shardsAtOnce, partBytes, partsAtOnce] = plan;
    assert.deepEqual(transferPlan(sizes), { shardsAtOnce, partBytes, partsAtOnce });
    assert.ok(shardsAtOnce * partBytes * (partsAtOnce + 1) <= ROOM);
    assert.ok(partBytes * 10_000 >= Math.max(...sizes) * 1.25);
  });

test("a shard that would take more memory is not sent", () => {
  assert.equal(transferPlan([160 * GIB]), undefined);
});
