import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "#kit/base/clock";
import { systemClock } from "#kit/reconcile/system-clock";
import { FailedLogins } from "./failed-logins.ts";

/** Failed logins, on a clock that stands still until it is moved. */
function failedLogins() {
  let uptime = 0;
  const clock: Clock = { ...systemClock, uptimeMs: () => uptime };
  const logins = new FailedLogins(clock);
  return {
    logins,
    pass: (ms: number) => void (uptime += ms),
    /** What the lines say that so many failures make. */
    lines: (address: string, times: number) =>
      Array.from({ length: times }, () => logins.failed(address)).filter((line) => line !== undefined),
  };
}

test("each failed login has a line, until an address fails so fast that the log would hold nothing else", () => {
  const { lines, pass } = failedLogins();
  assert.deepEqual(lines("10.0.0.1", 128), Array(128).fill(1));
  assert.deepEqual(lines("10.0.0.1", 10_000), []);
  pass(500);
  assert.deepEqual(lines("10.0.0.1", 10), [10_001], "the line says of how many it is");
  assert.deepEqual(lines("10.0.0.2", 1), [1], "the lines of another address are its own");
  pass(64_000);
  assert.deepEqual(lines("10.0.0.1", 2), [10, 1], "who has stopped has all lines again");
});

test("any number of addresses takes the memory of 1,024", () => {
  const { logins } = failedLogins();
  for (let at = 0; at < 5_000; at++) assert.equal(logins.failed(`10.0.${at >> 8}.${at & 255}`), 1);
  assert.equal(logins.addresses, 1_024);
});
