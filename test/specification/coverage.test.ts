import assert from "node:assert/strict";
import { test } from "node:test";
import { coverage } from "../../scripts/generated-specification.ts";
import { OPEN } from "./open.ts";

test("every rule of the contract is held by a test, those apart that are said to be open", () => {
  const uncovered = [...coverage()].filter(([, files]) => files.length === 0).map(([name]) => name);
  assert.deepEqual(uncovered, OPEN);
});
