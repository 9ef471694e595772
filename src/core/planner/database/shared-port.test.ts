import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, dead, factsOf, node, on, toVersion8, type Scene } from "../../../../test/kit/facts/database-scene.ts";
import { decideDatabase } from "./decide.ts";

/** An instance of another database on node 2, where the replica 2 is as well, by default at the port of that. */
const other = (port = 20_002, uid = 2) => ({ node: uid, port, memoryBytes: 1e8, diskBytes: 1e8, primary: false });
const failing = { ...dead, failedStarts: 1 };

for (const [rule, scene, everything, want] of [
  [
    "a replica whose engine cannot begin goes when another database has its port",
    { instances: [on(1, 1), on(2, 2)], but: { 2: failing } },
    other(),
    "retire 2",
  ],
  [
    "so does the next one of an upgrade",
    { instances: [on(1, 1), on(2, 2, "8.0")], but: { 2: failing }, record: toVersion8 },
    other(),
    "retire 2",
  ],
  ["one that serves stays", { instances: [on(1, 1), on(2, 2)] }, other(), "rest"],
  [
    "one whose engine has not ended stays: the other may be about to end",
    { instances: [on(1, 1), on(2, 2)], but: { 2: dead } },
    other(),
    "wait",
  ],
  [
    "one that cannot begin for another reason stays",
    { instances: [on(1, 1), on(2, 2)], but: { 2: failing } },
    other(20_003),
    "wait",
  ],
  [
    "the same port of another node is another place",
    { instances: [on(1, 1), on(2, 2)], but: { 2: failing } },
    other(20_002, 3),
    "wait",
  ],
  [
    "while the primary does not serve, its replica may have what counts",
    { instances: [on(1, 1), on(2, 2)], but: { 1: dead, 2: failing }, nodes: [node(1)] },
    other(),
    "not retire",
  ],
] as const satisfies readonly (readonly [string, Scene, ReturnType<typeof other>, string])[])
  test(rule, () => {
    const facts = factsOf(scene);
    const step = brief(decideDatabase({ ...facts, everything: [...facts.everything, everything] }));
    if (want === "not retire") assert.doesNotMatch(step, /^retire/);
    else assert.ok(step.startsWith(want), step);
  });
