import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { InTurns } from "./in-turns.ts";

const STEPS = 4;
/** Half a millisecond of work. */
const MOST_IN_A_TURN = 512 + STEPS;

for (const [what, count, times] of [
  ["much is asked for", 1_000, 3],
  ["little is asked for by many at once", 100, 50],
] as const)
  test(`long work: a little is done in each turn when ${what}, and each gets all`, async () => {
    const clients = new Set(Array.from({ length: count }, (_, index) => index));
    const inTurns = new InTurns();
    let inThisTurn = 0;
    const lists = Array.from({ length: times }, () => {
      const list: number[] = [];
      const done = inTurns.each(clients, (client) => {
        inThisTurn += STEPS;
        list.push(client);
        return STEPS;
      });
      return done.then(() => list);
    });
    let isOver = false;
    const all = Promise.all(lists).finally(() => (isOver = true));
    const turns: number[] = [];
    while (!isOver) {
      await nextTurn();
      turns.push(inThisTurn);
      inThisTurn = 0;
    }
    for (const list of await all) assert.deepEqual(list, [...clients]);
    assert.ok(Math.max(...turns) <= MOST_IN_A_TURN, turns.join());
  });

test("long work: what is gone when its turn comes is left out", async () => {
  const clients = new Set(["first", "gone", "last"]);
  const seen: string[] = [];
  await new InTurns().each(clients, (client) => {
    clients.delete("gone");
    seen.push(client);
    return 1;
  });
  assert.deepEqual(seen, ["first", "last"]);
});

test("long work: one that fails keeps no other one up", async () => {
  const inTurns = new InTurns();
  const failed = inTurns.each(new Set([1]), () => {
    throw new Error("of this one");
  });
  await assert.rejects(failed, /of this one/);
  let seen = 0;
  await inTurns.each(new Set([1]), () => ++seen);
  assert.equal(seen, 1);
});
