import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "./pace.ts";

/** A clock whose sleeps are counted and take no time. */
function countingClock() {
  const sleeps: number[] = [];
  let now = 0;
  return {
    sleeps,
    clock: {
      uptimeMs: () => now,
      sleep: (ms: number, signal?: AbortSignal) => {
        signal?.throwIfAborted();
        sleeps.push(ms);
        return Promise.resolve();
      },
    },
    takes: (ms: number) => () => {
      now += ms;
      return Promise.resolve(ms);
    },
  };
}

test("a pause is as long as its question took, and longer behind a question that took long", async () => {
  const { clock, sleeps, takes } = countingClock();
  const pace = new Pace(clock);
  for (const ms of [0.2, 3, 49, 50, 1_000, 60_000]) assert.equal(await pace.ask(takes(ms)), ms);
  assert.deepEqual(sleeps, [1, 3, 49, 200, 4_000, 10_000]);
});

test("nothing is asked once the comparison is given up", async () => {
  const { clock, takes } = countingClock();
  const ended = new AbortController();
  const pace = new Pace(clock, ended.signal);
  ended.abort(new Error("given up"));
  await assert.rejects(pace.ask(takes(1)), /given up/);
});
