import assert from "node:assert/strict";
import { test } from "node:test";
import { within } from "./within.ts";

/** A clock whose first sleep lasts for as long as `stillMs`, and what comes to hold once it has slept so often after that. */
function standingStill(stillMs: number, sleeps: number) {
  let [now, slept] = [0, 0];
  return {
    clock: {
      uptimeMs: () => now,
      sleep: (ms: number): Promise<void> => {
        slept += 1;
        now += slept === 1 ? stillMs : ms;
        return Promise.resolve();
      },
    },
    holds: () => slept > sleeps,
  };
}

const rules: readonly (readonly [rule: string, stillMs: number, sleeps: number, want: boolean])[] = [
  ["what holds in time is seen", 1, 300, true],
  ["what does not hold in time is not waited for", 1, 600, false],
  ["a process that stood still looks on, as if the time had not passed", 2_000, 300, true],
  ["and not for ever", 2_000, 600, false],
];

for (const [rule, stillMs, sleeps, want] of rules)
  test(`waiting within a time: ${rule}`, async () => {
    const { clock, holds } = standingStill(stillMs, sleeps);
    assert.equal(await within(clock, 500, holds), want);
  });

test("without time there is one look", async () => {
  const { clock } = standingStill(1, 0);
  let looks = 0;
  assert.equal(await within(clock, 0, () => ++looks > 1), false);
  assert.equal(looks, 1);
});
