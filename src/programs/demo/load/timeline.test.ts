import assert from "node:assert/strict";
import { test } from "node:test";
import { TimelineMeter } from "./timeline.ts";

function meterAt(clock: { now: number }): TimelineMeter {
  return new TimelineMeter(() => clock.now);
}

test("each stretch has its own requests, failures, reconnects and longest requests", () => {
  const clock = { now: 5_000 };
  const meter = meterAt(clock);
  for (const ms of [1, 2, 9]) meter.record(ms, false);
  clock.now += 100;
  meter.record(250, true);
  meter.reconnect();
  meter.fail();
  const { beganAt, stretchMs, median, ...columns } = meter.timeline();
  assert.deepEqual([beganAt, stretchMs], [5_000, 100]);
  assert.deepEqual(columns, {
    requests: [3, 2],
    failed: [0, 1],
    reconnects: [0, 1],
    longestStaying: [9, 0],
    longest: [9, 250],
  });
  assert.ok(Math.abs((median[0] ?? 0) - 2) < 0.1 && Math.abs((median[1] ?? 0) - 250) < 1);
});

test("a time in which no request ends is a stretch without requests", () => {
  const clock = { now: 0 };
  const meter = meterAt(clock);
  meter.record(1, false);
  clock.now = 450;
  meter.record(400, false);
  assert.deepEqual(meter.timeline().requests, [1, 0, 0, 0, 1]);
  assert.deepEqual(meter.timeline().median.slice(0, 4), [1, 0, 0, 0]);
});

test("a load of hours has bounded lists, and keeps each of its extremes", () => {
  const clock = { now: 0 };
  const meter = meterAt(clock);
  const hours = 3;
  for (; clock.now < hours * 3_600_000; clock.now += 1_000) meter.record(clock.now === 3_000_000 ? 77 : 1, false);
  const { stretchMs, requests, longest } = meter.timeline();
  assert.ok(requests.length <= 8_193 && stretchMs > 100, `${requests.length} stretches of ${stretchMs} ms`);
  assert.equal(
    requests.reduce((sum, one) => sum + one, 0),
    hours * 3_600,
  );
  const at = longest.indexOf(77);
  assert.ok(at * stretchMs <= 3_000_000 && (at + 1) * stretchMs > 3_000_000);
});
