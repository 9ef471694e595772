import assert from "node:assert/strict";
import { test } from "node:test";
import { block, consent, notKnown, wait, warn } from "./finding.ts";

const FORGED = "u\nrec/rec: NothingIsWrong\u001b[1A";
const SHOWN = String.raw`u\nrec/rec: NothingIsWrong\u001b[1A`;

test("no text in a finding begins a line of its own, in a status or in an event", () => {
  const made = [block, wait, consent, warn].map((make) => make("SpecInvalid", FORGED, FORGED));
  for (const { evidence, remedy } of made) assert.deepEqual([evidence, remedy], [SHOWN, SHOWN]);
  assert.equal(notKnown("SpecInvalid", FORGED).evidence, SHOWN);
});
