import assert from "node:assert/strict";
import { test } from "node:test";
import { exploreMove, MOVE_PROTOCOL, type MoveProtocol } from "../../../../test/kit/model/planned-move.ts";

test("in no order of steps, restarts, lost releases and dead leaders does a client read what is old by then", () => {
  const { states, moves, stale } = exploreMove(MOVE_PROTOCOL);
  assert.equal(stale, undefined);
  assert.ok(states > 1_000 && moves > 100, `${moves} moves in ${states} states`);
});

const NEEDED: Readonly<Record<keyof MoveProtocol, string>> = {
  fences: "without the fence a proxy that has missed the hold reads from the old primary",
  closes: "a connection that was made before the fence leads to a replica later",
  asksRole: "a proxy that starts behind the fence connects to a replica",
};

for (const [rule, name] of Object.entries(NEEDED))
  test(name, () => {
    const { stale } = exploreMove({ ...MOVE_PROTOCOL, [rule]: false });
    assert.match(stale?.at(-1) ?? "", /^proxy \d: a read at the old one$/, JSON.stringify(stale));
  });
