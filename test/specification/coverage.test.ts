import assert from "node:assert/strict";
import { test } from "node:test";
import { coverage } from "../../scripts/generated-specification.ts";

test("every rule of the contract is held by an assertion of a test that is run", () => {
  const proofs = [...coverage()];
  assert.deepEqual(
    proofs.filter(([, all]) => all.length === 0).map(([name]) => name),
    [],
  );
  assert.deepEqual(
    proofs.flatMap(([, all]) => all).filter(({ runs }) => runs.length === 0),
    [],
  );
});
