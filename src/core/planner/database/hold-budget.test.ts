import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { attempted, held, nextAttempt, NO_ATTEMPTS } from "./hold-budget.ts";
import type { MoveAttempts, NextAttempt } from "./hold-budget.ts";

const waiting: MoveAttempts = { ...NO_ATTEMPTS, waitingSince: 0 };
const failedOnce: MoveAttempts = { waitingSince: 0, lastHold: { endedAt: 1_000, heldMs: 500 }, failures: 1 };

const cases: readonly {
  readonly rule: string;
  readonly attempts: MoveAttempts;
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
  { rule: "up to 2 s", attempts: { ...failedOnce, failures: 9 }, now: 20_000, want: { drainMs: 2_000 } },
  {
    rule: "a move that was made leaves nothing waiting, and counts for the next one",
    attempts: held(failedOnce, 20, true, 2_000),
    now: 2_000,
    want: { waitMs: 380, insists: false, drainMs: 500 },
  },
  {
    rule: "an attempt that asked no client to wait costs nothing",
    attempts: held(attempted(NO_ATTEMPTS, 0), 0, false, 1),
    now: 1,
    want: { waitMs: 0, drainMs: 500 },
  },
];

for (const { rule, attempts, now, want } of cases)
  test(`holds: ${rule}`, () => {
    assert.deepEqual({ ...nextAttempt(attempts, now), ...want }, nextAttempt(attempts, now));
  });

test("holds: whatever the attempts, a database is held for at most 5 % of the time, but for the last hold", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ heldMs: fc.nat(2_500), moved: fc.boolean(), restMs: fc.nat(5_000) })), (tries) => {
      let now = 0;
      let sum = 0;
      let attempts = NO_ATTEMPTS;
      for (const { heldMs, moved, restMs } of tries) {
        now += nextAttempt(attempts, now).waitMs;
        assert.ok(sum * 20 <= now + 0.001, `${sum} of ${now} ms`);
        now += heldMs;
        sum += heldMs;
        attempts = held(attempted(attempts, now), heldMs, moved, now);
        now += restMs;
      }
    }),
  );
});
