import assert from "node:assert/strict";
import { test } from "node:test";
import { tableObstacle, type ShardView } from "./table-obstacle.ts";

const LIMIT = 100_000_000;

interface Case {
  readonly rule: string;
  readonly sources?: readonly Partial<ShardView["engine"]>[];
  readonly targets: readonly Partial<ShardView["engine"]>[];
  readonly finds?: readonly [string, RegExp, RegExp];
}

const half = { maxMemory: LIMIT / 2 } as const;
const over = { ...half, countedMemory: 60_000_000 } as const;
const evicting = { evicts: true } as const;

const cases: readonly Case[] = [
  { rule: "data that is spread evenly moves", targets: [half, half] },
  {
    rule: "a shard that gets more than its share would refuse writes",
    targets: [half, over],
    finds: [
      "MemoryTooSmall",
      /new shard 12 of "orders" takes 60000000 bytes, .* is 50000000: writes .* refused/,
      /"memorySize":"133MB".*; or keep the shards that serve: kubectl patch redb orders .*"shardCount":1/,
    ],
  },
  {
    rule: "so does one just below its share",
    targets: [{ ...half, countedMemory: 49_600_000 }],
    finds: ["MemoryTooSmall", /takes 49600000/, /"memorySize"/],
  },
  {
    rule: "what the backlog of a primary takes counts for one that has filled none yet",
    sources: [{ backlogMemory: 5_000_000 }],
    targets: [{ ...half, countedMemory: 46_000_000 }],
    finds: ["MemoryTooSmall", /takes 51000000/, /"memorySize"/],
  },
  {
    rule: "a shard that gets more than its share would evict",
    sources: [evicting],
    targets: [half, { ...over, ...evicting }],
    finds: ["MemoryTooSmall", /takes 60000000 .* evicted/, /"memorySize"/],
  },
  { rule: "where writes are refused already nothing gets worse", sources: [{ countedMemory: LIMIT }], targets: [over] },
  {
    rule: "a full cache is spread a little unevenly",
    sources: [{ ...evicting, countedMemory: LIMIT }],
    targets: [{ ...over, ...evicting }],
  },
  {
    rule: "a full cache whose keys are in few slots would be lost for a great part",
    sources: [{ ...evicting, countedMemory: LIMIT }],
    targets: [{ ...half, ...evicting, countedMemory: 90_000_000 }],
    finds: ["MemoryTooSmall", /evicted/, /"memorySize":"199MB"/],
  },
  { rule: "without a limit nothing is full", targets: [{ maxMemory: 0, countedMemory: 1e12 }] },
  {
    rule: "keys would expire too early by a clock that is ahead",
    targets: [half, { ...half, clock: { aheadMs: 5_000, uncertainMs: 1 } }],
    finds: ["ClockApart", /the clock of node 12 is 5\.0 s ahead of that of node 1/, /chronyc/],
  },
];

for (const { rule, sources = [{}], targets, finds } of cases)
  test(`a switch to other shards: ${rule}`, () => {
    const found = tableObstacle({
      database: { name: "orders", memoryBytes: LIMIT },
      sources: sources.map((engine, at) => view(1 + at, engine)),
      targets: targets.map((engine, at) => view(11 + at, engine)),
    });
    if (finds === undefined) return void assert.equal(found, undefined);
    const [id, evidence, remedy] = finds;
    assert.equal(found?.id, id);
    assert.match(found.evidence, evidence);
    assert.match(found.remedy, remedy);
  });

function view(shard: number, engine: Partial<ShardView["engine"]>): ShardView {
  const usual = { maxMemory: LIMIT, countedMemory: 40_000_000, backlogMemory: 0, evicts: false } as const;
  return { shard, node: shard, engine: { ...usual, clock: { aheadMs: 0, uncertainMs: 1 }, ...engine } };
}
