import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#kit/testing/fake-clock";
import { startOperatorWorld } from "../../../../test/kit/operator/operator-world.ts";
import { until } from "#kit/testing/until";
import { silentLog } from "#kit/base/log";
import { whilePermitted } from "./while-permitted.ts";

test("work that has ended is started again while the Role is there, and ends with the signal", async () => {
  await using world = await startOperatorWorld();
  const clock = new FakeClock();
  const over = new AbortController();
  let starts = 0;
  let isEnded = false;
  const ended = whilePermitted(
    {
      kube: world.kube,
      clock,
      log: silentLog,
      own: "default",
      namespace: "team-a",
      signal: over.signal,
      onFinding: () => undefined,
    },
    async (signal) => {
      starts += 1;
      if (starts === 1) return;
      await clock.sleep(3_600_000, signal).catch(() => {
        isEnded = true;
      });
    },
  );
  await until("it is started", () => starts === 1);
  await until("it is started again", async () => {
    await clock.advance(2_000);
    return starts === 2;
  });
  over.abort();
  await ended;
  assert.equal(isEnded, true);
});
