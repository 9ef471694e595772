import assert from "node:assert/strict";
import { test } from "node:test";
import { uptimeFrom, uptimeMs } from "./uptime.ts";

const STARTED = { steady: 1_000, wall: 50_000, boot: 1_000 };

for (const [rule, after, expected] of [
  ["goes on with the steady clock", { steady: 3_000, wall: 52_000, boot: 3_000 }, 3_000],
  ["counts the time that the machine slept", { steady: 2_000, wall: 651_000, boot: 602_000 }, 602_000],
  ["is not changed by a clock set forward", { steady: 2_000, wall: 651_000, boot: 2_000 }, 2_000],
  ["is not changed by a clock set back", { steady: 2_000, wall: -549_000, boot: 2_000 }, 2_000],
  [
    "counts the sleep although the clock was set back on waking",
    { steady: 2_000, wall: 20_000, boot: 602_000 },
    602_000,
  ],
  ["is not late by the resolution of the boot clock", { steady: 2_000, wall: 90_000, boot: 1_991 }, 2_000],
] as const)
  test(`uptime ${rule}`, () => {
    let clocks: { readonly steady: number; readonly wall: number; readonly boot: number } = STARTED;
    const now = uptimeFrom({
      steadyMs: () => clocks.steady,
      wallMs: () => clocks.wall,
      bootMs: () => clocks.boot,
    });
    assert.equal(now(), 1_000);
    clocks = after;
    assert.equal(now(), expected);
    assert.equal(now(), expected, "a second reading says the same");
  });

test("a clock that is adjusted little by little needs no look at the boot clock", () => {
  let steady = 0;
  let looks = 0;
  const now = uptimeFrom({
    steadyMs: () => steady,
    wallMs: () => steady * 1.001,
    bootMs: () => {
      looks += 1;
      return steady;
    },
  });
  for (; steady < 600_000; steady += 10_000) assert.equal(now(), steady);
  assert.equal(looks, 1);
});

test("the uptime of this machine is the one that the kernel reports", async () => {
  const { uptime } = await import("node:os");
  assert.ok(Math.abs(uptimeMs() - uptime() * 1000) < 1_000);
});
