import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, node, on } from "../../../../test/kit/facts/database-scene.ts";
import { twoShards } from "../../../../test/kit/facts/two-shards.ts";
import type { DatabaseRecord } from "../../api/records.ts";
import { whyNoGrowth } from "./growth.ts";
import type { Growth } from "./growth.ts";

const MIB = 1024 * 1024;
const contained = (uid: number, limit: number) => node(uid, { container: { limit: limit * MIB, reserve: 500 * MIB } });
const SINGLE = [on(1, 1)];
const PAIR = [on(1, 1), on(2, 2)];

interface Case {
  readonly rule: string;
  readonly instances: typeof PAIR;
  readonly change: Partial<DatabaseRecord>;
  readonly nodes: Growth["nodes"];
  readonly others?: Growth["others"];
  readonly want: RegExp | undefined;
}

const cases: readonly Case[] = [
  {
    rule: "a database grows where its node has room for all of it",
    instances: SINGLE,
    change: { memoryBytes: 200e6 },
    nodes: [contained(1, 1100)],
    want: undefined,
  },
  {
    rule: "the node with the least room decides, and the refusal says how much would fit",
    instances: PAIR,
    change: { memoryBytes: 300e6 },
    nodes: [contained(1, 1500), contained(2, 1000)],
    want: /"orders" has 100 MB and cannot have 300 MB: node 1 has room for 396 MB of it, node 2 has room for 195 MB of it; up to 195 MB fit/,
  },
  {
    rule: "what other databases may need is not there",
    instances: SINGLE,
    change: { memoryBytes: 200e6 },
    nodes: [contained(1, 1100)],
    others: [{ node: 1, port: 1, memoryBytes: 100e6, diskBytes: 0, primary: true }],
    want: /node 1 has room for 129 MB of it; up to 129 MB fit/,
  },
  {
    rule: "a node that is overcommitted lets nothing grow",
    instances: SINGLE,
    change: { memoryBytes: 101e6 },
    nodes: [contained(1, 600)],
    want: /it cannot grow there/,
  },
  {
    rule: "there it may shrink, and change whatever takes no memory",
    instances: SINGLE,
    change: { memoryBytes: 99e6, persistence: "aofAlways" },
    nodes: [contained(1, 600)],
    want: undefined,
  },
  {
    rule: "a first replica needs another node with room",
    instances: SINGLE,
    change: { replication: true },
    nodes: [contained(1, 1100), contained(2, 600)],
    want: /no node can take a 7\.2 replica: node 1 already holds an instance of it, node 2 has room for a database of 25 MB, and this one has 100 MB/,
  },
  {
    rule: "a way to keep data that takes more of the volume needs room there",
    instances: PAIR,
    change: { persistence: "aofAlways" },
    nodes: [node(1), node(2, { volumeRoom: 300e6 })],
    want: /"orders" may take 405 MB of a volume then, and that of node 2 has room for 300 MB/,
  },
  {
    rule: "nodes of older releases are asked for their machine",
    instances: SINGLE,
    change: { memoryBytes: 900e6 },
    nodes: [node(1)],
    want: undefined,
  },
  {
    rule: "and refuse more than it has",
    instances: SINGLE,
    change: { memoryBytes: 1100e6 },
    nodes: [node(1)],
    want: /up to 1000 MB fit/,
  },
];

for (const { rule, instances, change, nodes, others = [], want } of cases)
  test(rule, () => {
    const before: DatabaseRecord = { ...factsOf({ instances }).record, replication: instances.length > 1 };
    const said = whyNoGrowth({ before, after: { ...before, ...change }, nodes, others });
    if (want === undefined) assert.equal(said, undefined);
    else assert.match(said ?? "it has room", want);
  });

const twoOn = (first: number, second: number): Growth["before"] =>
  twoShards({
    record: { replication: false },
    first: { instances: [on(1, first)] },
    second: { instances: [on(3, second)] },
  }).record;

test("a node that has two shards of the database needs room for both to grow", () => {
  const growth = { before: twoOn(1, 1), nodes: [contained(1, 1100)], others: [] };
  const refusal = whyNoGrowth({ ...growth, after: { ...growth.before, memoryBytes: 300e6 } });
  assert.match(refusal ?? "", /node 1 has room for 22\d MB of it/);
  assert.equal(
    whyNoGrowth({ ...growth, nodes: [contained(1, 1700)], after: { ...growth.before, memoryBytes: 300e6 } }),
    undefined,
  );
  const disk = { ...growth.before, persistence: "aofAlways" } as const;
  const full = whyNoGrowth({ ...growth, nodes: [node(1, { volumeRoom: 300e6 })], after: disk });
  assert.match(full ?? "", /"orders" may take 409 MB of a volume then, and that of node 1 has room for 300 MB/);
});

test("each shard needs a place for its first replica, beside the instances of the other shards", () => {
  const before = twoOn(1, 2);
  const after = { ...before, replication: true };
  const roomy = [contained(1, 1300), contained(2, 1300)];
  assert.equal(whyNoGrowth({ before, after, nodes: roomy, others: [] }), undefined);
  // node 2 has room for the replica of shard 1 or for the primary of shard 2, and not for both
  const refusal = whyNoGrowth({ before, after, nodes: [contained(1, 1300), contained(2, 750)], others: [] });
  assert.match(refusal ?? "", /no node can take a 7\.2 replica: .*node 2 has room for a database of \d+ MB/);
});
