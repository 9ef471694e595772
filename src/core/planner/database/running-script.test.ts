import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, busyFor, factsOf, node, on, toVersion8 } from "../../../../test/kit/facts/database-scene.ts";
import type { Scene } from "../../../../test/kit/facts/database-scene.ts";
import { decideDatabase } from "./decide.ts";

const pair = [on(1, 1), on(2, 2)];
const waits = (seconds: number): string =>
  `wait: the primary of "orders" on node 1 runs a script and nothing else: EVAL of client 10.0.0.7:51234 (${seconds} s); ` +
  "SCRIPT KILL or FUNCTION KILL ends it";

const cases: readonly (Scene & { readonly rule: string; readonly want: string })[] = [
  {
    rule: "it is waited for, however long, and nothing takes over",
    instances: pair,
    but: { 1: busyFor(9000) },
    want: waits(9000),
  },
  {
    rule: "an evacuation waits for it for a minute",
    instances: pair,
    nodes: [node(1, { draining: true })],
    but: { 1: busyFor(59) },
    want: waits(59),
  },
  {
    rule: "and then ends it",
    instances: pair,
    nodes: [node(1, { draining: true })],
    but: { 1: busyFor(60) },
    want: "end-script",
  },
  { rule: "so does an upgrade", instances: pair, record: toVersion8, but: { 1: busyFor(60) }, want: "end-script" },
  {
    rule: "a switchover that had begun is resolved first",
    instances: pair,
    shard: { switchover: { to: 2, epoch: 2 } },
    but: { 1: busyFor(60) },
    want: "resume-switchover",
  },
];

for (const { rule, want, ...scene } of cases)
  test(`a primary that runs a script: ${rule}`, () => {
    assert.equal(brief(decideDatabase(factsOf(scene))), want);
  });
