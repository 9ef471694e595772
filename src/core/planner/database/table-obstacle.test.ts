import assert from "node:assert/strict";
import { test } from "node:test";
import { tableObstacle, type MisplacedAt, type ShardView } from "./table-obstacle.ts";

const LIMIT = 100_000_000;

interface Case {
  readonly rule: string;
  readonly sources?: readonly Partial<ShardView["engine"]>[];
  readonly targets: readonly Partial<ShardView["engine"]>[];
  readonly misplaced?: readonly MisplacedAt[];
  readonly mayDiscardMisplaced?: true;
  readonly finds?: readonly [string, RegExp, RegExp];
}

const half = { maxMemory: LIMIT / 2 } as const;
const over = { ...half, countedMemory: 60_000_000 } as const;
const evicting = { evicts: true } as const;

const misplaced = [
  { shard: 1, keys: 3, example: { database: 0, name: "total" } },
  { shard: 2, keys: 1, example: { database: 3, name: "a" } },
  { shard: 3, keys: 2 },
] as const;

const cases: readonly Case[] = [
  {
    rule: "keys that no new shard gets are not left behind unasked",
    sources: [{}, {}],
    targets: [half, half, half],
    misplaced,
    finds: [
      "KeysMisplaced",
      /shard 1 has 3, for instance "total"; shard 2 has 1, for instance "a" of database 3; shard 3 has 2\./,
      /storectl reshape orders 3 --may-discard-data; or keep the shards that serve: kubectl patch redb orders .*"shardCount":2/,
    ],
  },
  { rule: "they are when a user agrees", targets: [half, half], misplaced, mayDiscardMisplaced: true },
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

for (const { rule, sources = [{}], targets, misplaced: found = [], finds, ...agreed } of cases)
  test(`a switch to other shards: ${rule}`, () => {
    const { mayDiscardMisplaced } = agreed;
    const obstacle = tableObstacle({
      database: {
        name: "orders",
        memoryBytes: LIMIT,
        shards: sources.map((_, at) => ({ id: 1 + at, epoch: 1, primary: 1, instances: [] })),
        shardCount: targets.length,
        ...(mayDiscardMisplaced === undefined ? {} : { mayDiscardMisplaced }),
      },
      misplaced: found,
      sources: sources.map((engine, at) => view(1 + at, engine)),
      targets: targets.map((engine, at) => view(11 + at, engine)),
    });
    if (finds === undefined) return void assert.equal(obstacle, undefined);
    const [id, evidence, remedy] = finds;
    assert.equal(obstacle?.id, id);
    assert.match(obstacle.evidence, evidence);
    assert.match(obstacle.remedy, remedy);
  });

function view(shard: number, engine: Partial<ShardView["engine"]>): ShardView {
  const usual = { maxMemory: LIMIT, countedMemory: 40_000_000, backlogMemory: 0, evicts: false } as const;
  return { shard, node: shard, engine: { ...usual, clock: { aheadMs: 0, uncertainMs: 1 }, ...engine } };
}
