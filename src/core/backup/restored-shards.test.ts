import assert from "node:assert/strict";
import { test } from "node:test";
import { evenSlots } from "../slots/shard-slots.ts";
import { changeText, licenseObjection, memoryNeeded, memoryObjection } from "./restored-shards.ts";

// What a database needs that gets its data in the shards of a backup, and is changed to others then.

const MB = 1_000_000;
const even = (count: number) => evenSlots(count).map((slots) => ({ slots }));

test("memory is enough for the data in both tables", () => {
  const merged = { first: even(4), next: even(2) };
  const memories = [10 * MB, 10 * MB, 60 * MB, 60 * MB];
  assert.match(memoryObjection("200MB", merged, memories) ?? "", /gives a shard 50000000 bytes, and the data of one/);
  assert.equal(memoryObjection("240MB", merged, memories), undefined);
  assert.equal(memoryObjection("240MB", { first: even(4), next: undefined }, memories), undefined);
  const needed = memoryNeeded(merged, memories);
  assert.equal(memoryObjection(`${Math.ceil(needed / MB)}MB`, merged, memories), undefined);
});

test("a shard that takes the slots of full ones needs what they took together", () => {
  const tables = {
    first: even(2),
    next: [{ slots: [{ from: 0, to: 9_000 }] }, { slots: [{ from: 9_001, to: 16_383 }] }],
  };
  assert.equal(memoryObjection("200MB", tables, [80 * MB, 80 * MB]), undefined);
  const single = { first: even(2), next: even(1) };
  assert.equal(memoryObjection("200MB", single, [80 * MB, 80 * MB]), undefined);
  const lopsided = {
    first: even(2),
    next: [{ slots: [{ from: 0, to: 4_095 }] }, { slots: [{ from: 4_096, to: 16_383 }] }],
  };
  assert.equal(memoryObjection("240MB", lopsided, [119 * MB, 1 * MB]), undefined);
  const bought = {
    first: even(2),
    next: [
      { slots: [{ from: 0, to: 8_191 }], share: 1_000 },
      { slots: [{ from: 8_192, to: 16_383 }], share: 15_384 },
    ],
  };
  assert.match(
    memoryObjection("240MB", bought, [100 * MB, 1 * MB]) ?? "",
    /^240MB gives shard 1 of the 2 that are asked for .*, and the data of its slots took about 100 MB$/,
  );
});

test("each shard of either table has its least memory", () => {
  assert.match(
    memoryObjection("100MB", { first: even(1), next: even(8) }, [MB]) ?? "",
    /^8 shards need at least 160 MB/,
  );
  assert.match(
    memoryObjection(
      "100MB",
      { first: even(8), next: even(1) },
      even(8).map(() => MB),
    ) ?? "",
    /^8 shards/,
  );
  assert.equal(memoryNeeded({ first: even(1), next: even(8) }, [MB]), 160 * MB);
});

for (const [rule, counts, used, says] of [
  [
    "more shards than before",
    { first: 1, next: 3, replication: false },
    2,
    /needs 3 shards \(3 primaries\), and .* 4 of which 2/,
  ],
  ["fewer shards than before", { first: 4, next: 1, replication: false }, 1, /needs 4 shards \(4 primaries\)/],
  ["replicas too", { first: 2, next: 1, replication: true }, 1, /needs 4 shards \(2 primaries and 2 replicas\)/],
  ["nothing more than both have", { first: 4, next: 3, replication: false }, 0, /^$/],
] as const)
  test(`a licence counts ${rule}`, () => {
    assert.match(licenseObjection(counts, { shards_limit: 4, shards_usage: used }) ?? "", says);
  });

test("a change is said with both numbers, and nothing where there is none", () => {
  const shown = { storeVersion: "8.0", memorySize: "1GB" };
  assert.equal(changeText({ ...shown, shardCount: 3 }, "now"), "");
  assert.equal(changeText({ ...shown, shardCount: 3, firstShardCount: 4 }, "now"), ", and its 4 shards become 3 now");
  assert.equal(
    changeText({ ...shown, shardCount: 2, firstShardCount: 1 }, "then"),
    ", and its one shard becomes 2 then",
  );
  assert.equal(
    changeText({ ...shown, shardCount: 2, firstShardCount: 2 }, "then"),
    ", and its 2 shards become 2 of other slots then",
  );
});
