import assert from "node:assert/strict";
import { test } from "node:test";
import { behind, brief, factsOf, node, on, toVersion8 } from "../../../../test/kit/facts/database-scene.ts";
import type { Scene } from "../../../../test/kit/facts/database-scene.ts";
import { decideDatabase } from "./decide.ts";
import { isBeingReplaced } from "./replacement.ts";

const pair = [on(1, 1), on(2, 2)];
const leaving2 = [node(2, { draining: true })];

const cases: readonly (Scene & { readonly rule: string; readonly want: string; readonly copied: boolean })[] = [
  {
    rule: "a replica whose node is to be left is first made on another node",
    instances: pair,
    nodes: leaving2,
    want: "add 7.2 on node 3",
    copied: true,
  },
  {
    rule: "the old replica stays until the new one is in sync",
    instances: [...pair, on(3, 3)],
    nodes: leaving2,
    but: { 3: behind },
    want: "wait: the 7.2 replica on node 3 is 1000000 bytes behind the primary",
    copied: true,
  },
  {
    rule: "the replica on the node that is left is removed once its successor is in sync",
    instances: [...pair, on(3, 3)],
    nodes: leaving2,
    want: "retire 2",
    copied: true,
  },
  {
    rule: "nothing is left to do after the old replica is removed",
    instances: [on(1, 1), on(3, 3)],
    nodes: leaving2,
    want: "rest",
    copied: false,
  },
  {
    rule: "without memory for a third copy the node is left all the same",
    instances: pair,
    nodes: [...leaving2, node(3, { memoryBytes: 1e7 })],
    want: "rest",
    copied: false,
  },
  {
    rule: "nodes that are all being left take no copies",
    instances: pair,
    nodes: [...leaving2, node(3, { draining: true })],
    want: "rest",
    copied: false,
  },
  {
    rule: "a primary moves before its replica is made elsewhere",
    instances: pair,
    nodes: [node(1, { draining: true })],
    want: "switch-over to 2",
    copied: false,
  },
  {
    rule: "a database that wants no replica gets none",
    instances: [on(1, 1)],
    nodes: leaving2,
    record: { replication: false },
    want: "rest",
    copied: false,
  },
  {
    rule: "an upgrade makes new replicas elsewhere anyway",
    instances: pair,
    nodes: leaving2,
    record: toVersion8,
    want: "add 8.0 on node 3",
    copied: false,
  },
];

for (const { rule, want, copied, ...scene } of cases)
  test(rule, () => {
    const facts = factsOf(scene);
    assert.equal(brief(decideDatabase(facts)), want);
    assert.equal(isBeingReplaced(facts, 2), copied);
  });
