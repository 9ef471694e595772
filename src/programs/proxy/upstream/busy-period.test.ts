import assert from "node:assert/strict";
import { test } from "node:test";
import { BusyPeriod } from "./busy-period.ts";

const cases: readonly {
  readonly rule: string;
  readonly busyAt: readonly (number | "over")[];
  readonly limitMs?: number;
  readonly want: boolean;
}[] = [
  { rule: "requests wait when a script begins to take long", busyAt: [100], want: true },
  { rule: "and until it has run for 5 s", busyAt: [100, 2_000, 4_800], want: true },
  { rule: "then clients get the engine's answer", busyAt: [100, 2_000, 4_900], want: false },
  { rule: "also those that ask for the first time", busyAt: [100, 4_900, 8_000], want: false },
  { rule: "a shorter limit of the database counts", limitMs: 1_000, busyAt: [100, 900], want: false },
  { rule: "and a longer one", limitMs: 60_000, busyAt: [100, 4_900, 9_000, 13_000], want: true },
  { rule: "with the limit 0 clients wait for the script", limitMs: 0, busyAt: [100, 4_900, 9_000, 13_000], want: true },
  { rule: "once a request was executed, the next script counts anew", busyAt: [100, 4_000, "over", 4_900], want: true },
  { rule: "a script that no reply has named for long counts anew", busyAt: [100, 5_101], want: true },
];

for (const { rule, busyAt, want, limitMs = 5_000 } of cases)
  test(`scripts that take long: ${rule}`, () => {
    const period = new BusyPeriod(() => limitMs);
    let spared = false;
    for (const at of busyAt) {
      if (at === "over") period.over();
      else spared = period.spares(at, true);
    }
    assert.equal(spared, want);
  });
