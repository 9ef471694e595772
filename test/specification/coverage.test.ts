import assert from "node:assert/strict";
import { test } from "node:test";
import { coverage } from "../../scripts/generated-specification.ts";
import { OPEN } from "./open.ts";

test("every rule of the contract is held by an assertion of a test that is run, those apart that are said to be open", () => {
  const proofs = [...coverage()];
  const uncovered = proofs.filter(([, all]) => all.length === 0).map(([name]) => name);
  assert.deepEqual(uncovered, OPEN);
  assert.deepEqual(
    proofs.flatMap(([, all]) => all).filter(({ runs }) => runs.length === 0),
    [],
  );
});
