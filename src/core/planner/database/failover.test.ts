import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, dead, factsOf, on, primary, serving, silence } from "../../../../test/kit/facts/database-scene.ts";
import type { Scene } from "../../../../test/kit/facts/database-scene.ts";
import { decideDatabase } from "./decide.ts";
import type { InstanceFacts } from "./facts.ts";
import { proofOfEnd } from "./failover.ts";

const cases: readonly {
  rule: string;
  facts: InstanceFacts | undefined;
  want: ReturnType<typeof proofOfEnd>;
}[] = [
  { rule: "a primary whose process is gone has ended", facts: facts("dead"), want: "ended" },
  {
    rule: "a primary whose node is gone is cut off: it may come back",
    facts: { ...facts("dead"), cutOff: true },
    want: "cut-off",
  },
  { rule: "a primary that was made a replica has ended", facts: facts("serving", "replica"), want: "ended" },
  { rule: "a primary that serves has not ended", facts: facts("serving", "primary"), want: undefined },
  { rule: "a primary that is silent may acknowledge", facts: facts("silent"), want: undefined },
  { rule: "a primary that runs a script lives, and may acknowledge", facts: facts("busy"), want: undefined },
  { rule: "a primary that starts may acknowledge soon", facts: facts("loading"), want: undefined },
  { rule: "of a primary that was not asked nothing is known", facts: undefined, want: undefined },
];

for (const { rule, facts: of, want } of cases) {
  test(`a primary that is to be replaced: ${rule}`, () => assert.equal(proofOfEnd(of), want));
}

const cutOff: InstanceFacts = { ...dead, cutOff: true };
const forced = { switchover: { to: 2, epoch: 2, forced: true } } as const;
const pair = [on(1, 1), on(2, 2)];

const begun: readonly (Scene & { readonly rule: string; readonly want: string })[] = [
  {
    rule: "a failover that waits until its primary is fenced goes on, under the same intent",
    instances: pair,
    shard: forced,
    but: { 1: cutOff },
    want: "fail-over to 2",
  },
  {
    rule: "it goes on when the process is known to have ended by now",
    instances: pair,
    shard: forced,
    but: { 1: dead },
    want: "fail-over to 2",
  },
  {
    rule: "it is taken back when another replica would follow by now",
    instances: [...pair, on(3, 3)],
    shard: forced,
    but: { 1: cutOff, 3: { ...serving, offset: 101 } },
    want: "resume-switchover",
  },
  {
    rule: "it is taken back when the primary answers again",
    instances: pair,
    shard: forced,
    want: "resume-switchover",
  },
  {
    rule: "it is taken back when the primary may still acknowledge",
    instances: pair,
    shard: forced,
    but: { 1: silence },
    want: "resume-switchover",
  },
  {
    rule: "what became of it is asked when its target was promoted",
    instances: pair,
    shard: forced,
    but: { 1: cutOff, 2: primary },
    want: "resume-switchover",
  },
];

for (const { rule, want, ...scene } of begun) {
  test(`a failover that has begun: ${rule}`, () => assert.equal(brief(decideDatabase(factsOf(scene))), want));
}

function facts(state: InstanceFacts["state"], role?: "primary" | "replica"): InstanceFacts {
  const rest = { offset: 1, lagBytes: 0, streaming: false, hasData: true, configured: true };
  return { ...rest, state, ...(role === undefined ? {} : { role }) };
}
