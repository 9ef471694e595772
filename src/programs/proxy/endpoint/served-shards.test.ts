import assert from "node:assert/strict";
import { test } from "node:test";
import { isFault } from "#kit/base/fault";
import { endpointFor } from "../../../../test/kit/engines/proxy.ts";
import { evenSlots } from "../../../../test/kit/sharded/sharded.ts";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";
import { faults } from "../faults.ts";
import { servedShards, nextShards } from "./served-shards.ts";

test("a database of one shard has no table, whether it names its slots or not", () => {
  for (const slots of [undefined, evenSlots(1)[0]])
    assert.equal(
      servedShards(config([{ id: 3, epoch: 1, ...(slots === undefined ? {} : { slots }) }])).table,
      undefined,
    );
});

test("each slot leads to the place of its shard", () => {
  const { table } = servedShards(sharded(1, 1, 1));
  assert.deepEqual(
    [0, 5_460, 5_461, 10_921, 10_922, 16_383].map((slot) => table?.[slot]),
    [0, 0, 1, 1, 2, 2],
  );
});

for (const [what, endpoint] of [
  ["without a shard", config([])],
  [
    "whose second shard names no slots",
    config([
      { id: 1, epoch: 1 },
      { id: 2, epoch: 1 },
    ]),
  ],
  ["whose only shard lacks slots", config([{ id: 1, epoch: 1, slots: [{ from: 1, to: 16_383 }] }])],
] as const)
  test(`a database ${what} is not served`, () => {
    assert.throws(
      () => servedShards(endpoint),
      (error) => isFault(error, faults.slotTable),
    );
  });

test("a table that is served stays under any epoch that is not lower, and whole other shards take its place under a higher one", () => {
  const known = { ...sharded(1, 1), tableEpoch: 4 };
  const [low, high] = evenSlots(2);
  const swapped = known.shards.map((shard, at) => ({ ...shard, slots: (at === 0 ? high : low) ?? [] }));
  const outcome = (change: Partial<EndpointConfig>): string => {
    try {
      const { isOther } = nextShards({ ...known, ...change }, known, [route(1, 1), route(2, 1)]);
      return isOther ? "other" : "served";
    } catch (error) {
      if (isFault(error, faults.epochTooLow)) return "late";
      if (isFault(error, faults.slotTable)) return "refused";
      throw error;
    }
  };
  const found = [
    {},
    { tableEpoch: 5 },
    { tableEpoch: 3 },
    { tableEpoch: 5, shards: swapped },
    sharded(1),
    sharded(1, 1, 1),
  ];
  assert.deepEqual(
    found.map((change) => outcome({ tableEpoch: 4, ...change })),
    ["served", "served", "late", "refused", "refused", "refused"],
  );
  assert.equal(outcome({ shards: known.shards.toReversed() }), "refused", "shards keep their places");
  const others = known.shards.map((shard) => ({ ...shard, id: shard.id + 2 }));
  assert.deepEqual(
    [4, 5, 3].map((tableEpoch) => outcome({ tableEpoch, shards: others })),
    ["refused", "other", "late"],
  );
  assert.equal(
    outcome({ tableEpoch: 5, shards: known.shards.map((shard) => ({ ...shard, id: shard.id + 1 })) }),
    "refused",
  );
});

test("a shard that is older than what is known keeps the whole configuration out", () => {
  const asked: number[] = [];
  const routes = [1, 2].map((id) => ({ id, requireEpoch: (epoch: number) => void asked.push(epoch) }));
  const [first, second] = routes;
  assert.ok(first !== undefined && second !== undefined);
  nextShards(sharded(7, 9), sharded(1, 1), [first, second]);
  assert.deepEqual(asked, [7, 9]);
});

function route(id: number, known: number) {
  return { id, requireEpoch: (epoch: number): void => void assert.ok(epoch >= known) };
}

/** Shards of these epochs, with even slots. */
function sharded(...epochs: readonly number[]): EndpointConfig {
  const slots = evenSlots(epochs.length);
  return config(epochs.map((epoch, at) => ({ id: at + 1, epoch, slots: slots[at] ?? [] })));
}

function config(shards: EndpointConfig["shards"]): EndpointConfig {
  return endpointFor(undefined, { shards });
}
