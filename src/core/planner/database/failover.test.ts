import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstanceFacts } from "./facts.ts";
import { proofOfEnd } from "./failover.ts";

const cases: readonly {
  rule: string;
  facts: InstanceFacts | undefined;
  want: ReturnType<typeof proofOfEnd>;
}[] = [
  { rule: "one whose process is gone has ended", facts: facts("dead"), want: "ended" },
  {
    rule: "one whose node is gone is cut off: it may come back",
    facts: { ...facts("dead"), cutOff: true },
    want: "cut-off",
  },
  { rule: "one that somebody has made a replica has ended", facts: facts("serving", "replica"), want: "ended" },
  { rule: "one that serves as primary has not", facts: facts("serving", "primary"), want: undefined },
  { rule: "one that is silent may acknowledge", facts: facts("silent"), want: undefined },
  { rule: "one that is on its way up may do so soon", facts: facts("loading"), want: undefined },
  { rule: "of one that nobody has asked nothing is known", facts: undefined, want: undefined },
];

for (const { rule, facts: of, want } of cases) {
  test(`a primary that is to be replaced: ${rule}`, () => assert.equal(proofOfEnd(of), want));
}

function facts(state: InstanceFacts["state"], role?: "primary" | "replica"): InstanceFacts {
  const rest = { offset: 1, lagBytes: 0, streaming: false, hasData: true, configured: true };
  return { ...rest, state, ...(role === undefined ? {} : { role }) };
}
