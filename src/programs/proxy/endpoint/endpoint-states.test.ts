import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { arrowsDrawn, arrowsOf } from "../../../../test/kit/architecture/diagram.ts";
import { ENDPOINT_TRANSITIONS, endpointMachine } from "./endpoint-states.ts";

test("the diagram of an endpoint draws the rows of its table", () => {
  assert.deepEqual(arrowsDrawn(join(import.meta.dirname, "endpoint-states.ts")), arrowsOf(ENDPOINT_TRANSITIONS));
});

test("an endpoint that serves again has no drain to end, and one that is closed serves no more", () => {
  const machine = endpointMachine();
  assert.equal(machine.apply("serve"), true);
  assert.equal(machine.apply("drain"), true);
  assert.equal(machine.apply("serve"), true);
  assert.equal(machine.apply("end-drain"), false);
  assert.equal(machine.state, "serving");
  assert.equal(machine.apply("close"), true);
  assert.equal(machine.apply("serve"), false);
});
