import assert from "node:assert/strict";
import { test } from "node:test";
import { on } from "../../../../test/kit/facts/database-scene.ts";
import { twoShards } from "../../../../test/kit/facts/two-shards.ts";
import { endpointNodes } from "./endpoint-nodes.ts";

const PRIMARIES_ON_1_AND_2 = {};
const PRIMARIES_ON_3_AND_1 = {
  first: { instances: [on(1, 3), on(2, 2)] },
  second: { instances: [on(3, 1), on(4, 2)] },
};

for (const [rule, proxyPolicy, scene, able, leaving, want] of [
  ["all nodes: each that takes clients", "all-nodes", PRIMARIES_ON_1_AND_2, [1, 2, 3], [], [1, 2, 3]],
  ["all nodes: none that is about to leave", "all-nodes", PRIMARIES_ON_1_AND_2, [1, 2, 3], [2], [1, 3]],
  ["all nodes: those that leave, when there is no other", "all-nodes", PRIMARIES_ON_1_AND_2, [2], [2], [2]],
  ["primaries: the nodes of primaries", "all-master-shards", PRIMARIES_ON_1_AND_2, [1, 2, 3], [], [1, 2]],
  ["primaries: those of them that stay", "all-master-shards", PRIMARIES_ON_1_AND_2, [1, 2, 3], [1], [2]],
  [
    "primaries: all others where no node of a primary stays",
    "all-master-shards",
    PRIMARIES_ON_1_AND_2,
    [1, 2, 3],
    [1, 2],
    [3],
  ],
  ["single: the node of the first primary", "single", PRIMARIES_ON_3_AND_1, [1, 2, 3], [], [3]],
  ["single: the node of the next primary that stays", "single", PRIMARIES_ON_3_AND_1, [1, 2, 3], [3], [1]],
  ["single: one node, whatever it has", "single", PRIMARIES_ON_1_AND_2, [3, 4], [], [3]],
  ["no node: none", "single", PRIMARIES_ON_1_AND_2, [], [], []],
] as const)
  test(`the address of a database leads to ${rule}`, () => {
    const { record } = twoShards({ ...scene, record: { proxyPolicy } });
    const nodes = able.map((uid) => ({ uid, isLeaving: leaving.some((one) => one === uid) }));
    assert.deepEqual(
      endpointNodes(record, nodes).map(({ uid }) => uid),
      want,
    );
  });
