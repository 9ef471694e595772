import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstanceFacts } from "./facts.ts";
import { takesNoWrites } from "./failover.ts";

const cases: readonly { rule: string; facts: InstanceFacts | undefined; want: boolean }[] = [
  { rule: "one that has ended takes none", facts: facts("dead"), want: true },
  { rule: "one that somebody has made a replica takes none", facts: facts("serving", "replica"), want: true },
  { rule: "one that serves as primary takes them", facts: facts("serving", "primary"), want: false },
  { rule: "one that is silent may take them", facts: facts("silent"), want: false },
  { rule: "one that is on its way up may take them soon", facts: facts("loading"), want: false },
  { rule: "of one that nobody has asked nothing is known", facts: undefined, want: false },
];

for (const { rule, facts: of, want } of cases) {
  test(`writes at a primary that is to be replaced: ${rule}`, () => assert.equal(takesNoWrites(of), want));
}

function facts(state: InstanceFacts["state"], role?: "primary" | "replica"): InstanceFacts {
  const rest = { offset: 1, lagBytes: 0, streaming: false, hasData: true, configured: true };
  return { ...rest, state, ...(role === undefined ? {} : { role }) };
}
