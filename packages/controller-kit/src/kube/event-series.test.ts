import assert from "node:assert/strict";
import { test } from "node:test";
import { nextEventWrite } from "./event-series.ts";

const stored = { change: { isStored: true } };
const notStored = { change: { isStored: false } };

const cases: readonly (readonly [
  name: string,
  known: Parameters<typeof nextEventWrite>[0],
  answer: Parameters<typeof nextEventWrite>[1],
  want: ReturnType<typeof nextEventWrite>,
])[] = [
  ["a sentence that this process has not written is a new event", undefined, undefined, "create"],
  ["one that an earlier process has written may be of a change that it never stored", undefined, "exists", "date"],
  ["one whose change is stored happens again", stored, undefined, "count"],
  ["one whose change is not stored is tried again", notStored, undefined, "date"],
  ["one that the server has forgotten begins anew", stored, "gone", "create"],
  ["so does one whose change is not stored", notStored, "gone", "create"],
  ["one that another process has begun anew meanwhile is there already", stored, "exists", "date"],
];

for (const [name, known, answer, want] of cases) {
  test(`events: ${name}`, () => {
    assert.equal(nextEventWrite(known, answer), want);
  });
}
