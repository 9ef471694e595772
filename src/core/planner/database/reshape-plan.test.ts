import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, node } from "../../../../test/kit/facts/database-scene.ts";
import type { ShardRecord } from "../../api/records.ts";
import { namedShards } from "../../slots/named-slots.ts";
import { evenSlots, shareOf, slotsText, type SizedShard } from "../../slots/shard-slots.ts";
import { planReshape, type Reshape, type ReshapePlan } from "./reshape-plan.ts";

const MIB = 1024 * 1024;

const even = (count: number) => evenSlots(count).map((slots) => ({ slots }));

/** The shards of these texts. */
function named(...texts: readonly string[]): readonly SizedShard[] {
  const shards = namedShards(texts);
  assert.ok(!("why" in shards));
  return shards;
}

/** A database of so many shards, the primary of the first one on node 1 and so on. */
function reshape(from: number, to: number, over: Partial<Reshape> = {}): Reshape {
  const shards = evenSlots(from).map((slots, at): ShardRecord => ({
    id: at + 1,
    epoch: 1,
    primary: at + 1,
    instances: [{ id: at + 1, node: (at % 3) + 1, port: 20_001 + at, storeVersion: "7.2", launch: 1 }],
    slots,
  }));
  const { record } = factsOf({
    instances: [],
    record: { shards, memoryBytes: 240 * MIB, replication: false, nextInstance: from + 1 },
  });
  const everything = shards.flatMap(({ instances }) =>
    instances.map(({ node: uid, port }) => ({ node: uid, port, memoryBytes: 1, diskBytes: 1, primary: true })),
  );
  return { record, to: even(to), nodes: [node(1), node(2), node(3)], everything, ...over };
}

function planOf(...args: Parameters<typeof reshape>): ReshapePlan {
  const plan = planReshape(reshape(...args));
  assert.ok(!("id" in plan));
  return plan;
}

test("new shards share the slots evenly, and their primaries are spread over the nodes", () => {
  const { shards } = planOf(1, 3);
  assert.deepEqual(
    shards.map(({ slots }) => slotsText(slots)),
    ["0-5461", "5462-10922", "10923-16383"],
  );
  assert.deepEqual(shards.map(({ places }) => places.map((place) => place.node)).toSorted(), [[1], [2], [3]]);
});

test("no port is one that is in use", () => {
  const { shards, mover } = planOf(2, 4);
  const places = shards.flatMap((shard) => shard.places.map((place) => `${place.node}:${place.port}`));
  const ports = mover.ports.map((port) => `${mover.node}:${port}`);
  assert.equal(new Set([...places, ...ports, "1:20001", "2:20002"]).size, 4 + 4 + 2);
});

test("the memory of both sets is counted, on each node", () => {
  const { memory } = planOf(3, 6);
  for (const { before, meanwhile, after } of memory) assert.equal(meanwhile, before + after);
  const sum = memory.reduce((all, { after }) => all + after, 0);
  assert.ok(Math.abs(sum - 240 * MIB) < 16_384, String(sum));
});

test("the mover runs where most primaries are, on a node that stays", () => {
  assert.equal(planOf(4, 1).mover.node, 1);
  assert.equal(planOf(4, 1, { nodes: [{ ...node(1), draining: true }, node(2), node(3)] }).mover.node, 2);
});

test("nothing is planned without room for both sets", () => {
  const plan = planReshape(reshape(1, 2, { nodes: [{ ...node(1), memoryBytes: 100 * MIB }] }));
  assert.match("id" in plan ? plan.evidence : "", /primary finds no place while both sets of shards are there/);
});

test("a shard whose slots stay is kept, and only the others are made", () => {
  // of four even shards, one slot goes from the first to the second
  const to = named("0-4094", "4095-8191", "8192-12287", "12288-16383");
  const { shards, kept, memory, mover } = planOf(4, 4, { to });
  assert.deepEqual(
    kept.map(({ id }) => id),
    [3, 4],
  );
  assert.deepEqual(
    shards.map(({ slots, share }) => [slotsText(slots), share]),
    [
      ["0-4094", undefined],
      ["4095-8191", undefined],
    ],
  );
  assert.equal(mover.ports.length, 2);
  const most = memory.reduce((sum, { meanwhile }) => sum + meanwhile, 0);
  assert.ok(Math.abs(most - 1.5 * 240 * MIB) < 16_384, "the memory of two shards is needed twice");
});

test("the primaries of new shards are on other nodes than those of shards that are kept", () => {
  const { shards, kept } = planOf(2, 3, { to: named("0-8191", "8192-12287", "12288-16383") });
  assert.deepEqual(
    kept.map(({ instances }) => instances[0]?.node),
    [1],
  );
  assert.deepEqual(shards.map(({ places }) => places[0]?.node).toSorted(), [2, 3]);
});

test("new shards may use what those that they replace might, and one with few slots has room all the same", () => {
  const bytesOf = (to: readonly SizedShard[]): readonly number[] =>
    planOf(1, 1, { to }).shards.map((shard) => Math.round(shareOf(240 * MIB, shard) / MIB));
  assert.deepEqual(bytesOf(named("0-8191", "8192-16383")), [120, 120]);
  assert.deepEqual(bytesOf(named("0-865", "866", "867-16383")), [29, 19, 192]);
  assert.deepEqual(bytesOf(named("0-865=50%", "866-16383=50%")), [120, 120], "as they are named");
  assert.deepEqual(bytesOf(named("0-99=80%", "100-16383=40%")), [160, 80], "beside the others");
});

test("more shards than can share what they replace are refused", () => {
  const to = named("0-8191", ...Array.from({ length: 8 }, (_, at) => `${8_192 + 1_024 * at}-${9_215 + 1_024 * at}`));
  const plan = planReshape(reshape(2, 2, { to }));
  assert.match("id" in plan ? plan.evidence : "", /8 new shards have 120 MiB together/);
});
