import assert from "node:assert/strict";
import { test } from "node:test";
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

function facts(state: InstanceFacts["state"], role?: "primary" | "replica"): InstanceFacts {
  const rest = { offset: 1, lagBytes: 0, streaming: false, hasData: true, configured: true };
  return { ...rest, state, ...(role === undefined ? {} : { role }) };
}
