import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "#kit/base/clock";
import { systemClock } from "#kit/reconcile/system-clock";
import { refuseWithoutSecret, whenSecretIsThere } from "./when-secret-is-there.ts";

/** Moves on by what is slept. */
function steppingClock(): Clock {
  let now = 0;
  return { ...systemClock, uptimeMs: () => now, sleep: async (ms) => void (now += ms) };
}

test("a request goes on as soon as the operator has made its Secret", async () => {
  const clock = steppingClock();
  const asked: number[] = [];
  const isThere = (): boolean => clock.uptimeMs() >= 1_000;
  const act = async (): Promise<string> => {
    asked.push(clock.uptimeMs());
    return isThere() ? "made" : refuseWithoutSecret("user");
  };
  assert.equal(await whenSecretIsThere(clock, async () => isThere(), act), "made");
  assert.deepEqual(asked, [0, 1_000], "it is not tried before one is there");
});

test("while no Secret comes the request is refused in the end, and any other failure at once", async () => {
  const clock = steppingClock();
  const never = whenSecretIsThere(
    clock,
    async () => false,
    async () => refuseWithoutSecret("database"),
  );
  await assert.rejects(never, { code: "AGENT_SECRET_NOT_MADE", retry: "backoff" });
  assert.equal(clock.uptimeMs(), 2_000);
  const failing = whenSecretIsThere(
    clock,
    async () => true,
    () => Promise.reject(new Error("no room")),
  );
  await assert.rejects(failing, /no room/);
  assert.equal(clock.uptimeMs(), 2_000);
});
