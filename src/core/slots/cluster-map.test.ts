import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterMap, memberOfSlot, movesBetween, type MapFacts } from "./cluster-map.ts";
import { evenSlots, slotsText } from "./shard-slots.ts";

const places = [1, 2, 3].map((node) => ({ node, host: `10.0.0.${node}` }));

/** A database whose primaries are at these nodes, with even slots, as its endpoint at node 1 sees it. */
function facts(primaries: readonly (number | undefined)[], more: Partial<MapFacts> = {}): MapFacts {
  const slots = evenSlots(primaries.length);
  const shards = primaries.map((node, at) => ({
    slots: slots[at] ?? [],
    host: node === undefined ? undefined : `10.0.0.${node}`,
  }));
  return { bdb: 7, own: { node: 1, host: "10.0.0.1" }, port: 10_001, speaksTls: false, places, shards, ...more };
}

/** Node by node: its slots, or `of` and the node that it is a replica of. */
function shown(given: MapFacts): readonly string[] {
  const { members } = clusterMap(given);
  return members.map(({ node, slots, replicaOf }) => {
    const ranges = slots.map(({ from, to }) => `${from}-${to}`).join(",");
    return `${node}: ${replicaOf === undefined ? ranges : `of ${String(members.find(({ id }) => id === replicaOf)?.node)}`}`;
  });
}

for (const [rule, given, expected] of [
  [
    "the slots of a shard are served at the node of its primary",
    facts([1, 2, 3]),
    ["1: 0-5461", "2: 5462-10922", "3: 10923-16383"],
  ],
  [
    "a node with several primaries serves the slots of all, in as few ranges as there can be",
    facts([2, 1, 3, 3]),
    ["1: 4096-8191", "2: 0-4095", "3: 8192-16383"],
  ],
  ["nodes without a primary are replicas", facts([2]), ["2: 0-16383", "1: of 2", "3: of 2"]],
  ["replicas are spread over primaries", facts([3, 2]), ["2: 8192-16383", "1: of 2", "3: 0-8191"]],
  [
    "where the node of a primary takes no clients, another one serves its slots",
    facts([1, 2], { places: places.filter(({ node }) => node !== 2) }),
    ["1: 0-8191", "3: 8192-16383"],
  ],
  [
    "while no primary has been known, its slots are served all the same",
    facts([undefined, 2]),
    ["1: 0-8191", "3: of 1", "2: 8192-16383"],
  ],
  [
    "the node that is asked is in the map also when it takes no further clients",
    facts([2, 3], { places: places.filter(({ node }) => node !== 1) }),
    ["2: 0-8191", "1: of 2", "3: 8192-16383"],
  ],
  ["a node that knows of none serves all", facts([2, 3], { places: [] }), ["1: 0-16383"]],
] as const satisfies readonly (readonly [string, MapFacts, readonly string[]])[])
  test(rule, () => {
    assert.deepEqual(shown(given), expected);
  });

test("the id of a node follows from the database and the node alone, and is not the same as that of any group", () => {
  const ids = (given: MapFacts): readonly string[] =>
    clusterMap(given)
      .members.toSorted((one, other) => one.node - other.node)
      .map(({ id }) => id);
  assert.deepEqual(ids(facts([1, 2, 3])), ids(facts([3, 3])));
  assert.notDeepEqual(ids(facts([1])), ids(facts([1], { bdb: 8 })));
  for (const id of ids(facts([1]))) assert.match(id, /^[0-9a-f]{40}$/);
  for (const { id, group } of clusterMap(facts([1])).members) assert.notEqual(id, group);
});

test("a primary and its replicas are one group", () => {
  const { members } = clusterMap(facts([3, 2]));
  assert.deepEqual(
    members.map(({ group }) => members.findIndex((other) => other.group === group)),
    [0, 0, 2],
  );
});

test("each slot has the member that serves it", () => {
  const map = clusterMap(facts([3, 2]));
  assert.deepEqual(
    [0, 8191, 8192, 16_383].map((slot) => memberOfSlot(map, slot).node),
    [3, 3, 2, 2],
  );
});

test("what has moved from one map to another is said by node", () => {
  const said = (before: MapFacts, after: MapFacts): readonly string[] =>
    movesBetween(clusterMap(before), clusterMap(after)).map(
      ({ from, to, slots }) => `${from.node} to ${to.node}: ${slotsText(slots)}`,
    );
  assert.deepEqual(said(facts([1, 2]), facts([1, 2])), []);
  assert.deepEqual(said(facts([1, 2]), facts([3, 2])), ["1 to 3: 0-8191"]);
  assert.deepEqual(said(facts([1, 2]), facts([2, 2])), ["1 to 2: 0-8191"]);
  assert.deepEqual(said(facts([1]), facts([1, 2, 3, 2])), ["1 to 2: 4096-8191,12288-16383", "1 to 3: 8192-12287"]);
});
