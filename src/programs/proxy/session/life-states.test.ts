import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { arrowsDrawn, arrowsOf } from "../../../../test/kit/architecture/diagram.ts";
import { LIFE_TRANSITIONS, lifeMachine } from "./life-states.ts";

test("the diagram of the life of a session draws the rows of its table", () => {
  assert.deepEqual(arrowsDrawn(join(import.meta.dirname, "life-states.ts")), arrowsOf(LIFE_TRANSITIONS));
});

test("every session reaches its end from every state, and goes back from none", () => {
  const order = Object.keys(LIFE_TRANSITIONS);
  for (const [from, row] of Object.entries(LIFE_TRANSITIONS)) {
    if (from !== "closed") assert.equal(row.close, "closed");
    for (const to of Object.values(row)) assert.ok(order.indexOf(to) > order.indexOf(from), `${from} leads to ${to}`);
  }
});

test("a session that is to end drains no more, and one that has sent FIN does not finish again", () => {
  const machine = lifeMachine();
  assert.equal(machine.apply("finish"), true);
  assert.equal(machine.apply("drain"), false);
  assert.equal(machine.apply("send-fin"), true);
  assert.equal(machine.apply("finish"), false);
  assert.equal(machine.state, "closing");
});
