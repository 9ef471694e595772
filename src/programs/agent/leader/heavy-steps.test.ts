import assert from "node:assert/strict";
import { test } from "node:test";
import { HeavySteps } from "./heavy-steps.ts";

const MOVE = { kind: "switch-over" } as const;

test("while eight databases move or compare, a further move or comparison waits and says for what, and a failover begins", async () => {
  const heavy = new HeavySteps();
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
  ends[3]?.reject(new Error("not done"));
  await assert.rejects(running[3] ?? Promise.resolve(), /not done/);
  assert.equal(heavy.waitFor(9, MOVE, 2_000), undefined);
  running.push(heavy.run(() => new Promise(() => undefined)));
  assert.deepEqual(heavy.waitFor(9, MOVE, 3_000), { reason, ms: 0 });
});
