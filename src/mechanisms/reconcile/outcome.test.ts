import assert from "node:assert/strict";
import { test } from "node:test";
import { gravest, settled, stuck, waiting, type Outcome } from "./outcome.ts";

const SOON = waiting(100, "Soon", "a moment");
const LATER = waiting(5_000, "Later", "a while");
const STUCK = stuck("Stuck", "it cannot go on", "do something");

const cases: readonly { name: string; outcomes: readonly Outcome[]; is: Outcome }[] = [
  { name: "of none is settled", outcomes: [], is: settled },
  { name: "of one is that one", outcomes: [LATER], is: LATER },
  { name: "waits when one of them does", outcomes: [settled, LATER, settled], is: LATER },
  { name: "waits for the shortest, whichever comes first", outcomes: [SOON, LATER], is: SOON },
  { name: "waits for the shortest, whichever comes last", outcomes: [LATER, SOON], is: SOON },
  { name: "is stuck when one of them is", outcomes: [SOON, STUCK, LATER], is: STUCK },
];

for (const { name, outcomes, is } of cases) {
  test(`the gravest outcome ${name}`, () => {
    assert.deepEqual(gravest(outcomes), is);
  });
}
