import assert from "node:assert/strict";
import { test } from "node:test";
import { node } from "../../../../test/kit/facts/database-scene.ts";
import { evenSlots } from "../../slots/shard-slots.ts";
import type { PlacedInstance } from "./facts.ts";
import { placeShards, type NewShards } from "./place-shards.ts";

const MIB = 1024 * 1024;
const THREE = [node(1), node(2), node(3)];

function placed(count: number, over: Partial<NewShards> = {}) {
  return placeShards({
    settings: { memoryBytes: 100 * MIB, persistence: "disabled", replication: true, shardsPlacement: "sparse" },
    shards: evenSlots(count).map((slots) => ({ slots })),
    storeVersion: "7.2",
    tls: false,
    nodes: THREE,
    everything: [],
    kept: [],
    bdb: 1,
    firstInstance: 1,
    ...over,
  });
}

const single = {
  memoryBytes: 100 * MIB,
  persistence: "disabled",
  replication: false,
  shardsPlacement: "sparse",
} as const;
const dense = { ...single, replication: true, shardsPlacement: "dense" } as const;
const other = (uid: number): PlacedInstance => ({
  node: uid,
  port: 20_002,
  memoryBytes: 100 * MIB,
  diskBytes: 0,
  primary: true,
});

/** For each shard, the nodes of its primary and of its replica. */
const cases: readonly {
  readonly rule: string;
  readonly count: number;
  readonly over?: Partial<NewShards>;
  readonly want: readonly (readonly number[])[] | RegExp;
}[] = [
  { rule: "one shard has its primary and its replica on two nodes", count: 1, want: [[1, 2]] },
  {
    rule: "primaries are on different nodes, and so are replicas",
    count: 3,
    want: [
      [1, 2],
      [2, 3],
      [3, 1],
    ],
  },
  {
    rule: "and as evenly as can be where shards are more than nodes",
    count: 4,
    want: [
      [1, 2],
      [2, 3],
      [3, 1],
      [1, 2],
    ],
  },
  {
    rule: "without replication each shard has a primary",
    count: 4,
    over: { settings: single },
    want: [[1], [2], [3], [1]],
  },
  {
    rule: "primaries of other databases decide where its own do not",
    count: 2,
    over: { settings: single, everything: [other(1), other(1), other(2)] },
    want: [[3], [2]],
  },
  {
    rule: "a shard needs its share alone, and what is placed has taken its room",
    count: 4,
    over: { settings: single, nodes: [node(1, { memoryBytes: 50 * MIB }), node(2, { memoryBytes: 50 * MIB })] },
    want: [[1], [2], [1], [2]],
  },
  {
    rule: "all of it finds a place, or nothing does",
    count: 4,
    over: { settings: single, nodes: [node(1, { memoryBytes: 80 * MIB })] },
    want: /^each of 4 shards needs 25 MiB of memory; no node can take a 7\.2 primary: node 1 has 5 MiB of the 25 MiB it needs$/,
  },
  {
    rule: "a dense database has its primaries on one node and their replicas on another",
    count: 4,
    over: { settings: dense },
    want: [
      [1, 2],
      [1, 2],
      [1, 2],
      [1, 2],
    ],
  },
  {
    rule: "a dense database begins where the fewest primaries are",
    count: 2,
    over: { settings: dense, everything: [other(1), other(2)] },
    want: [
      [3, 1],
      [3, 1],
    ],
  },
  {
    rule: "a dense database goes on at the next node where one is full, and no replica is beside its primary",
    count: 4,
    over: { settings: dense, nodes: [1, 2, 3, 4].map((uid) => node(uid, { memoryBytes: 80 * MIB })) },
    want: [
      [1, 3],
      [1, 3],
      [1, 3],
      [2, 4],
    ],
  },
  {
    rule: "what finds a place sparsely is not refused because it is to be dense",
    count: 4,
    over: { settings: dense, nodes: [1, 2, 3].map((uid) => node(uid, { memoryBytes: 80 * MIB })) },
    want: [
      [1, 2],
      [2, 3],
      [3, 1],
      [1, 2],
    ],
  },
  {
    rule: "replicas need another node",
    count: 2,
    over: { nodes: [node(1)] },
    want: /7\.2 replica: node 1 already holds an instance/,
  },
];

for (const { rule, count, over, want } of cases)
  test(`the places of a new database: ${rule}`, () => {
    const answer = placed(count, over);
    if (want instanceof RegExp) assert.match("id" in answer ? answer.evidence : "", want);
    else
      assert.deepEqual("places" in answer ? answer.places.map((ofShard) => ofShard.map((one) => one.node)) : [], want);
  });

test("instances on one node have ports of their own", () => {
  const answer = placed(4, { settings: single, nodes: [node(1)], everything: [other(1)] });
  assert.deepEqual(
    "places" in answer ? answer.places.flat().map(({ port }) => port) : [],
    [20_001, 20_003, 20_004, 20_005],
  );
});
