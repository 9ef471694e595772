import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { arrowsDrawn, arrowsOf } from "../../../test/kit/architecture/diagram.ts";
import { OPENING_TRANSITIONS, openingMachine } from "./opening-states.ts";

test("the diagram of the way of a site draws the rows of its table", () => {
  assert.deepEqual(arrowsDrawn(join(import.meta.dirname, "opening-states.ts")), arrowsOf(OPENING_TRANSITIONS));
});

test("a site is not open before it has caught up with its own engine, and never goes back", () => {
  const machine = openingMachine();
  assert.equal(machine.apply("complete"), false);
  assert.equal(machine.apply("catch-up"), true);
  assert.equal(machine.apply("catch-up"), false);
  assert.equal(machine.apply("complete"), true);
  assert.deepEqual([machine.apply("catch-up"), machine.state], [false, "open"]);
});
