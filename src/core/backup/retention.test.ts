import assert from "node:assert/strict";
import { test } from "node:test";
import { decideRetention, type RetainedRun, type Retention } from "./retention.ts";

const DAY = 86_400_000;

/** Due on that day, and good right then. */
function good(day: number, more: Partial<RetainedRun> = {}): RetainedRun {
  const at = day * DAY;
  return { name: `d${day}`, dueAt: at, isUnderWay: false, goodAt: at, restorableAt: at, ...more };
}

const BAD = { goodAt: undefined, restorableAt: undefined };
const UNPROVED = { restorableAt: undefined };

interface Case {
  readonly name: string;
  readonly runs: readonly RetainedRun[];
  readonly retention: Retention;
  readonly inUse?: string;
  readonly goes: readonly string[];
}

const cases: readonly Case[] = [
  { name: "without a field nothing goes", runs: [good(1), good(2)], retention: {}, goes: [] },
  {
    name: "all but the last ones go, the oldest first",
    runs: [3, 1, 4, 2].map((day) => good(day)),
    retention: { count: 2 },
    goes: ["d1", "d2"],
  },
  {
    name: "the age counts back from the newest good one",
    runs: [good(1), good(5), good(12)],
    retention: { ageDays: 7 },
    goes: ["d1"],
  },
  {
    name: "one stays that either field keeps",
    runs: [good(1), good(2), good(100), good(101)],
    retention: { count: 3, ageDays: 30 },
    goes: ["d1"],
  },
  {
    name: "many within the age stay beyond the count",
    runs: [good(1), good(2), good(3)],
    retention: { count: 1, ageDays: 1 },
    goes: ["d1"],
  },
  {
    name: "one that failed takes no place of a good one",
    runs: [good(1), good(2), good(3, BAD), good(4, BAD)],
    retention: { count: 2 },
    goes: [],
  },
  {
    name: "one of no use goes when it is older than all that stay",
    runs: [good(1, BAD), good(2), good(3, BAD)],
    retention: { count: 1 },
    goes: ["d1"],
  },
  {
    name: "nothing goes while there is no good one",
    runs: [good(1, BAD), good(2, BAD)],
    retention: { count: 1 },
    goes: [],
  },
  {
    name: "the newest one that an engine has loaded stays behind those that are not to be loaded",
    runs: [good(1), good(2), good(3, UNPROVED), good(4, UNPROVED)],
    retention: { count: 1 },
    goes: ["d1", "d3"],
  },
  {
    name: "one that is under way stays, and does not count",
    runs: [good(1, { ...BAD, isUnderWay: true }), good(2), good(3)],
    retention: { count: 1 },
    goes: ["d2"],
  },
  {
    name: "a good one that is loaded again stays meanwhile",
    runs: [good(1, { isUnderWay: true }), good(2)],
    retention: { count: 1 },
    goes: [],
  },
  {
    name: "one that is being restored stays",
    runs: [good(1), good(2), good(3)],
    retention: { count: 1 },
    inUse: "d1",
    goes: ["d2"],
  },
  {
    name: "what was made up for late counts by when it was complete",
    runs: [good(1, { goodAt: 9 * DAY, restorableAt: 9 * DAY }), good(2)],
    retention: { count: 1 },
    goes: ["d2"],
  },
  {
    name: "one that is of the future stays, and nothing is older by it",
    runs: [good(1), good(2, { goodAt: 900 * DAY, restorableAt: 900 * DAY }), good(198), good(199)],
    retention: { ageDays: 30 },
    goes: ["d1"],
  },
  {
    name: "one that is of the future takes no place of another one",
    runs: [good(1), good(2, { goodAt: 900 * DAY, restorableAt: 900 * DAY }), good(198), good(199)],
    retention: { count: 1 },
    goes: ["d1", "d198"],
  },
  {
    name: "nothing goes while all good ones are of the future",
    runs: [good(300), good(301)],
    retention: { count: 1 },
    goes: [],
  },
  {
    name: "one that was complete before it was due, by a clock that was set back, is as new as its time",
    runs: [good(8), good(9), good(10, { goodAt: 2 * DAY, restorableAt: 2 * DAY })],
    retention: { count: 1 },
    goes: ["d8", "d9"],
  },
];

for (const { name, runs, retention, inUse, goes } of cases)
  test(`retention: ${name}`, () => {
    assert.deepEqual(decideRetention(runs, retention, { isInUse: (run) => run === inUse, now: 200 * DAY }), goes);
  });
