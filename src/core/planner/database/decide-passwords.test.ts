import assert from "node:assert/strict";
import { test } from "node:test";
import { behind, brief, factsOf, on } from "../../../../test/kit/facts/database-scene.ts";
import type { Scene } from "../../../../test/kit/facts/database-scene.ts";
import { decideDatabase } from "./decide.ts";

const pair = [on(1, 1), on(2, 2)];

const cases: readonly (Scene & { readonly rule: string; readonly want: string })[] = [
  {
    rule: "engines of an older release get a password of the cluster",
    instances: pair,
    engineLogin: "clients",
    want: "make-internal-password",
  },
  {
    rule: "they let clients in while a node or an engine does not know it",
    instances: pair,
    engineLogin: "shared",
    want: "rest",
  },
  {
    rule: "and the cluster alone once all of them do",
    instances: pair,
    engineLogin: "closable",
    want: "close-engines",
  },
  {
    rule: "another password of the cluster goes on when all engines and proxies have taken it",
    instances: pair,
    rotation: { act: "end", since: "t", step: 1, behind: [] },
    want: "rotate-engine-password",
  },
  {
    rule: "and says whom it waits for",
    instances: pair,
    rotation: { act: "end", since: "t", step: 1, behind: ["the proxy of node 3"] },
    want: "wait: another password at its engines waits for the proxy of node 3",
  },
  {
    rule: "also while a replica is behind",
    instances: pair,
    but: { 2: behind },
    rotation: { act: "use", since: "t", step: 1, behind: ["the engine on node 2"] },
    want: "wait: the 7.2 replica on node 2 is 1000000 bytes behind the primary; another password at its engines waits for the engine on node 2",
  },
];

for (const scene of cases)
  test(scene.rule, () => {
    assert.equal(brief(decideDatabase(factsOf(scene))), scene.want);
  });
