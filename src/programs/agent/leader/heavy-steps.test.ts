import assert from "node:assert/strict";
import { test } from "node:test";
import { HeavySteps } from "./heavy-steps.ts";

const MOVE = { kind: "switch-over" } as const;

test("while eight databases move or compare, a further move or comparison waits and says for what, and a failover begins", async () => {
  const came: number[] = [];
  const heavy = new HeavySteps((database) => came.push(database));
  const ends = Array.from({ length: 8 }, () => Promise.withResolvers<undefined>());
  const running = ends.map(({ promise }, database) => {
    assert.equal(heavy.waitFor(database, MOVE, 0), undefined);
    return heavy.run(() => promise);
  });
  const reason =
    "the move of the primary waits for its turn: 8 other databases move or compare, as many as may at once";
  assert.deepEqual(heavy.waitFor(9, MOVE, 1_000), { reason, ms: 0 });
  assert.deepEqual(heavy.waitFor(9, MOVE, 1_700), { reason, ms: 700 });
  assert.match(heavy.waitFor(10, { kind: "verify" }, 1_000)?.reason ?? "", /^the comparison of a replica waits/);
  assert.equal(heavy.waitFor(11, { kind: "fail-over" }, 1_000), undefined);
  assert.deepEqual(came, []);
  ends[3]?.reject(new Error("not done"));
  await assert.rejects(running[3] ?? Promise.resolve(), /not done/);
  assert.deepEqual(came, [9]);
  assert.equal(heavy.waitFor(9, MOVE, 2_000), undefined);
});

test("a turn comes to the one that has waited for longest, and to the next one when it needs none any more", async () => {
  const came: number[] = [];
  const heavy = new HeavySteps((database) => came.push(database));
  const ends = Array.from({ length: 8 }, () => Promise.withResolvers<undefined>());
  const running = ends.map(({ promise }) => heavy.run(() => promise));
  for (const database of [21, 20, 22, 23]) heavy.waitFor(database, MOVE, 0);
  heavy.waitFor(20, { kind: "rest" }, 10);
  for (const { resolve } of ends) resolve(undefined);
  await Promise.all(running);
  assert.deepEqual(came, [21, 22, 23]);
});

test("a database that is gone waits for no turn", async () => {
  const came: number[] = [];
  const heavy = new HeavySteps((database) => came.push(database));
  const ends = Array.from({ length: 8 }, () => Promise.withResolvers<undefined>());
  const running = ends.map(({ promise }) => heavy.run(() => promise));
  assert.ok(heavy.waitFor(9, MOVE, 0));
  assert.ok(heavy.waitFor(10, MOVE, 1));
  heavy.forget(9);
  for (const { resolve } of ends) resolve(undefined);
  await Promise.all(running);
  assert.deepEqual(came, [10]);
});
