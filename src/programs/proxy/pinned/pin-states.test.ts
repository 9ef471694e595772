import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { arrowsDrawn, arrowsOf } from "../../../../test/kit/architecture/diagram.ts";
import { PIN_TRANSITIONS, pinMachine } from "./pin-states.ts";

test("the diagram of a pinned session draws the rows of its table", () => {
  assert.deepEqual(arrowsDrawn(join(import.meta.dirname, "pin-states.ts")), arrowsOf(PIN_TRANSITIONS));
});

test("every state of a pinned session is reached, every other one can end, and nothing follows the end", () => {
  const reached = new Set(Object.values(PIN_TRANSITIONS).flatMap((row) => Object.values(row)));
  assert.deepEqual([...reached].toSorted(), Object.keys(PIN_TRANSITIONS).toSorted());
  const endless = Object.entries(PIN_TRANSITIONS).filter(([, row]) => !("end" in row));
  assert.deepEqual(endless, [["ended", {}]]);
});

test("an event without a row changes nothing", () => {
  const machine = pinMachine();
  assert.equal(machine.apply("arrive"), false);
  assert.equal(machine.state, "attached");
  assert.equal(machine.apply("end"), true);
  assert.equal(machine.apply("lose-engine"), false);
  assert.equal(machine.state, "ended");
});
