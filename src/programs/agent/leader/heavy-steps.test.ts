import assert from "node:assert/strict";
import { test } from "node:test";
import { HeavySteps } from "./heavy-steps.ts";

test("while eight databases move or compare, a further move or comparison waits and says for what, and a failover begins", async () => {
  const heavy = new HeavySteps();
  const ends = Array.from({ length: 8 }, () => Promise.withResolvers<undefined>());
  const running = ends.map(({ promise }) => {
    assert.equal(heavy.whyNotNow({ kind: "switch-over" }), undefined);
    return heavy.run(() => promise);
  });
  assert.equal(
    heavy.whyNotNow({ kind: "switch-over" }),
    "the move of the primary waits for its turn: 8 other databases move or compare, as many as may at once",
  );
  assert.match(heavy.whyNotNow({ kind: "verify" }) ?? "", /^the comparison of a replica waits/);
  assert.equal(heavy.whyNotNow({ kind: "fail-over" }), undefined);
  ends[3]?.reject(new Error("not done"));
  await assert.rejects(running[3] ?? Promise.resolve(), /not done/);
  assert.equal(heavy.whyNotNow({ kind: "switch-over" }), undefined);
  for (const { resolve } of ends) resolve(undefined);
  await Promise.allSettled(running);
});
