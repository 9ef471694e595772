import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, factsOf, node, on, toVersion8 } from "../../../../test/kit/facts/database-scene.ts";
import type { Scene } from "../../../../test/kit/facts/database-scene.ts";
import { decideDatabase } from "./decide.ts";

const pair = [on(1, 1), on(2, 2)];

/** The in-sync set says which replicas could succeed the primary: until a replica is in it, nothing counts on it. */
const cases: readonly (Scene & { readonly rule: string; readonly want: string })[] = [
  {
    rule: "a new database is not active before its replica could succeed the primary",
    instances: pair,
    record: { status: "pending" },
    shard: { inSync: { epoch: 1, members: [] } },
    want: "wait: the 7.2 replica on node 2 has all data; its primary must still confirm this",
  },
  {
    rule: "a surplus replica stays until the others could succeed the primary",
    instances: [...pair, on(3, 3)],
    shard: { inSync: { epoch: 1, members: [3] } },
    want: "wait: the 7.2 replica on node 2 has all data; its primary must still confirm this",
  },
  {
    rule: "upgrade 3: not before the primary has confirmed the new one, which could not succeed it until then",
    instances: [...pair, on(3, 3, "8.0")],
    record: toVersion8,
    shard: { inSync: { epoch: 1, members: [2] } },
    want: "wait: the 8.0 replica on node 3 has all data; its primary must still confirm this",
  },
  {
    rule: "upgrade 3: a node of an older release confirms nothing, so that the distance counts",
    instances: [...pair, on(3, 3, "8.0")],
    record: toVersion8,
    nodes: [node(1, { keepsInSync: false })],
    shard: { inSync: { epoch: 1, members: [2] } },
    want: "retire 2",
  },
];

for (const { rule, want, ...scene } of cases)
  test(rule, () => {
    assert.equal(brief(decideDatabase(factsOf(scene))), want);
  });
