import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../../test/kit/time/fake-clock.ts";
import { startOperatorWorld } from "../../../../test/kit/operator/operator-world.ts";
import { until } from "../../../../test/kit/time/until.ts";
import { silentLog } from "../../../core/base/log.ts";
import { whileGranted } from "./while-permitted.ts";

test("work that has ended by itself is taken up again while the Role is there, and ends with the signal", async () => {
  await using world = await startOperatorWorld();
  const clock = new FakeClock();
  const over = new AbortController();
  let begun = 0;
  let isLeft = false;
  const ended = whileGranted(
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
      begun += 1;
      if (begun === 1) return;
      await clock.sleep(3_600_000, signal).catch(() => {
        isLeft = true;
      });
    },
  );
  await until("it is begun", () => begun === 1);
  await until("it is begun again", async () => {
    await clock.advance(2_000);
    return begun === 2;
  });
  over.abort();
  await ended;
  assert.equal(isLeft, true);
});
