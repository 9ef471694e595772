import assert from "node:assert/strict";
import { test } from "node:test";
import { tableOutcome, type SourceSight, type TableOutcome, type TargetSight } from "./table-outcome.ts";

type Targets = readonly TargetSight[];
type Outcome = TableOutcome["kind"] | "take-back, lost";

const rules: readonly (readonly [rule: string, Targets, readonly SourceSight[], Outcome])[] = [
  ["all targets are promoted: clients may be there", ["promoted", "promoted"], ["retired"], "serve"],
  ["one target was never promoted: no client is there", ["promoted", "filled"], ["retired"], "take-back"],
  ["the others do not have to say anything then", ["filled", "silent", "gone"], ["silent"], "take-back"],
  ["nothing was promoted", ["filled"], ["serving"], "take-back"],
  ["a former primary serves, so that no target was promoted yet", ["silent"], ["serving", "retired"], "take-back"],
  ["a target that does not answer may be the one that was not promoted", ["promoted", "silent"], ["retired"], "wait"],
  ["a target that does not answer may have clients", ["silent"], ["retired"], "wait"],
  ["a target that has ended is succeeded later", ["promoted", "gone"], ["retired"], "serve"],
  ["that one was promoted says enough of the former primaries", ["promoted"], ["silent", "gone"], "serve"],
  [
    "what clients wrote at all that have ended is lost, whatever became of the others",
    ["gone"],
    ["gone"],
    "take-back, lost",
  ],
  ["also where former primaries refuse writes", ["gone", "gone"], ["retired", "silent"], "take-back, lost"],
  ["nothing is lost where a former primary serves", ["gone"], ["serving"], "take-back"],
];

for (const [rule, targets, sources, want] of rules)
  test(`the outcome of a switch to other shards whose leader is gone: ${rule}`, () => {
    assert.equal(wordOf(tableOutcome({ targets, sources })), want);
  });

/** What each step of a switch leaves behind, in their order. */
const STEPS: readonly (readonly [targets: Targets, sources: readonly SourceSight[]])[] = [
  [
    ["filled", "filled"],
    ["serving", "serving"],
  ],
  [
    ["filled", "filled"],
    ["serving", "retired"],
  ],
  [
    ["filled", "filled"],
    ["retired", "retired"],
  ],
  [
    ["promoted", "filled"],
    ["retired", "retired"],
  ],
  [
    ["promoted", "promoted"],
    ["retired", "retired"],
  ],
];

test("at each step, whichever engines have ended or do not answer: where clients may be stays, and no table serves that lacks something", () => {
  let played = 0;
  for (const [step, [targets, sources]] of STEPS.entries())
    for (const away of choices(targets.length + sources.length)) {
      const outcome = wordOf(
        tableOutcome({
          targets: targets.map((state, at) => away[at] ?? state),
          sources: sources.map((state, at) => away[targets.length + at] ?? state),
        }),
      );
      const what = JSON.stringify({ step, away });
      const haveClients = step === STEPS.length - 1 && away.slice(0, targets.length).some((one) => one !== "gone");
      if (haveClients) assert.ok(!outcome.startsWith("take-back"), what);
      if (step === STEPS.length - 1) assert.notEqual(outcome, "take-back", what);
      if (!sources.includes("retired")) assert.notEqual(outcome, "serve", what);
      played += 1;
    }
  assert.equal(played, STEPS.length * 3 ** 4);
});

function wordOf(outcome: TableOutcome): Outcome {
  return outcome.kind === "take-back" && outcome.loss !== undefined ? "take-back, lost" : outcome.kind;
}

/** Each way in which so many engines are there, have ended, or are silent. */
function choices(count: number): readonly (readonly ("gone" | "silent" | undefined)[])[] {
  if (count === 0) return [[]];
  return choices(count - 1).flatMap((others) =>
    ([undefined, "gone", "silent"] as const).map((one) => [one, ...others]),
  );
}
