import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { recordAttempt, recordHold, nextAttempt, NO_ATTEMPTS } from "./hold-budget.ts";
import type { MoveAttempts, NextAttempt } from "./hold-budget.ts";

/** Of shard 1. */
const waiting: MoveAttempts = { ...NO_ATTEMPTS, shards: new Map([[1, { waitingSince: 0, failures: 0 }]]) };
const failedOnce = failedTimes(1);

const cases: readonly {
  readonly rule: string;
  readonly attempts: MoveAttempts;
  /** The first one when absent. */
  readonly shard?: number;
  readonly now: number;
  readonly want: Partial<NextAttempt>;
}[] = [
  {
    rule: "the first attempt is made at once, and needs quiet",
    attempts: NO_ATTEMPTS,
    now: 5,
    want: { waitMs: 0, insists: false, drainMs: 500 },
  },
  { rule: "it insists once it has waited for quiet", attempts: waiting, now: 10_000, want: { insists: true } },
  { rule: "and not before", attempts: waiting, now: 9_999, want: { insists: false } },
  {
    rule: "a hold of half a second is followed by 9.5 s without one",
    attempts: failedOnce,
    now: 1_000,
    want: { waitMs: 9_500 },
  },
  { rule: "which pass", attempts: failedOnce, now: 10_500, want: { waitMs: 0 } },
  {
    rule: "each hold that came to nothing makes the next one longer",
    attempts: failedOnce,
    now: 20_000,
    want: { drainMs: 1_000 },
  },
  { rule: "up to 2 s", attempts: failedTimes(9), now: 20_000, want: { drainMs: 2_000 } },
  {
    rule: "a move that was made leaves nothing waiting, and counts for the next one",
    attempts: recordHold(failedOnce, 1, { heldMs: 20, moved: true }, 2_000),
    now: 2_000,
    want: { waitMs: 380, insists: false, drainMs: 500 },
  },
  {
    rule: "an attempt that asked no client to wait costs nothing",
    attempts: recordHold(recordAttempt(NO_ATTEMPTS, 1, 0), 1, { heldMs: 0, moved: false }, 1),
    now: 1,
    want: { waitMs: 0, drainMs: 500 },
  },
  {
    rule: "a hold of one shard makes the others wait too, because a client may have keys of all",
    attempts: failedOnce,
    shard: 2,
    now: 1_000,
    want: { waitMs: 9_500 },
  },
  {
    rule: "a shard is as patient as its own attempts have made it",
    attempts: failedTimes(9),
    shard: 2,
    now: 20_000,
    want: { insists: false, drainMs: 500 },
  },
  {
    rule: "a move of another shard changes nothing about that",
    attempts: recordHold(recordAttempt(failedOnce, 2, 2_000), 2, { heldMs: 20, moved: true }, 2_000),
    now: 20_000,
    want: { waitMs: 0, insists: true, drainMs: 1_000 },
  },
];

for (const { rule, attempts, shard = 1, now, want } of cases)
  test(`holds: ${rule}`, () => {
    assert.deepEqual({ ...nextAttempt(attempts, shard, now), ...want }, nextAttempt(attempts, shard, now));
  });

const anyTry = fc.record({
  shard: fc.integer({ min: 1, max: 4 }),
  heldMs: fc.nat(2_500),
  moved: fc.boolean(),
  restMs: fc.nat(5_000),
});

test("holds: whatever the attempts, a database is held for at most 5 % of the time, but for the last hold", () => {
  fc.assert(
    fc.property(fc.array(anyTry), (tries) => {
      let now = 0;
      let sum = 0;
      let attempts = NO_ATTEMPTS;
      for (const { shard, heldMs, moved, restMs } of tries) {
        now += nextAttempt(attempts, shard, now).waitMs;
        assert.ok(sum * 20 <= now + 0.001, `${sum} of ${now} ms`);
        now += heldMs;
        sum += heldMs;
        attempts = recordHold(recordAttempt(attempts, shard, now), shard, { heldMs, moved }, now);
        now += restMs;
      }
    }),
  );
});

/** Holds of shard 1 that came to nothing, the last one of half a second. */
function failedTimes(failures: number): MoveAttempts {
  return { lastHold: { endedAt: 1_000, heldMs: 500 }, shards: new Map([[1, { waitingSince: 0, failures }]]) };
}
