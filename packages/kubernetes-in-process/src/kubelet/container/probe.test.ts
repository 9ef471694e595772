import assert from "node:assert/strict";
import { test } from "node:test";
import type { Probe } from "kubernetes-types/core/v1.js";
import { FakeClock } from "../../../../controller-kit/src/testing/fake-clock.ts";
import { keepProbing } from "./probe.ts";
import type { ProbePace } from "./probe.ts";

interface Case {
  readonly name: string;
  readonly probe: Probe;
  readonly pace?: ProbePace;
  /** Whether the program answers, by seconds since the container started. */
  readonly answers: (second: number) => boolean;
  readonly forSeconds: number;
  /** Verdicts with the second they were given in. */
  readonly want: readonly string[];
}

const cases: Case[] = [
  {
    name: "one success makes ready, three failures in a row make unready",
    probe: { periodSeconds: 1 },
    answers: (second) => second < 3,
    forSeconds: 10,
    want: ["1 true", "5 false"],
  },
  {
    name: "a single failure changes nothing",
    probe: { periodSeconds: 1 },
    answers: (second) => second !== 3,
    forSeconds: 10,
    want: ["1 true"],
  },
  {
    name: "the probe waits for the number of successes that the spec asks for",
    probe: { periodSeconds: 2, successThreshold: 3 },
    answers: () => true,
    forSeconds: 10,
    want: ["6 true"],
  },
  {
    name: "nothing is asked before the initial delay",
    probe: { initialDelaySeconds: 5, periodSeconds: 1 },
    answers: () => true,
    forSeconds: 10,
    want: ["5 true"],
  },
  {
    name: "an eager probe sees a fast start long before its period is over",
    probe: { periodSeconds: 60 },
    pace: "eager",
    answers: (second) => second >= 1,
    forSeconds: 10,
    want: ["2 true"],
  },
  {
    name: "a failed early look of an eager probe does not count",
    probe: { periodSeconds: 10, failureThreshold: 2 },
    pace: "eager",
    answers: () => false,
    forSeconds: 40,
    want: ["16 false"],
  },
];

for (const { name, probe, pace = "patient", answers, forSeconds, want } of cases) {
  test(`probe: ${name}`, async () => {
    const clock = new FakeClock();
    const began = clock.now().getTime();
    const second = (): number => (clock.now().getTime() - began) / 1_000;
    const verdicts: string[] = [];
    const stop = new AbortController();
    const subject = {
      run: async () => ({ ok: answers(second()), output: "" }),
      onVerdict: (ok: boolean) => verdicts.push(`${Math.round(second())} ${ok}`),
      onFailure: () => undefined,
    };
    const probing = keepProbing(probe, subject, clock, stop.signal, pace);
    for (let step = 0; step < forSeconds * 20; step++) await clock.advance(50);
    stop.abort();
    await probing;
    assert.deepEqual(verdicts, want);
  });
}

test("probe: an answer that does not come in time is a failure", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const failures: string[] = [];
  const subject = {
    run: (_handler: object, signal: AbortSignal) =>
      new Promise<{ ok: boolean; output: string }>((resolve) => {
        signal.addEventListener("abort", () => resolve({ ok: false, output: "too late" }));
      }),
    onVerdict: () => undefined,
    onFailure: (output: string) => failures.push(output),
  };
  const probing = keepProbing({ timeoutSeconds: 2 }, subject, clock, stop.signal, "patient");
  await clock.advance(11_900);
  assert.deepEqual(failures, []);
  await clock.advance(200);
  assert.deepEqual(failures, ["too late"]);
  stop.abort();
  await probing;
});
