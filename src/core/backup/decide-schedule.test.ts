import assert from "node:assert/strict";
import { test } from "node:test";
import { readTimetable } from "../base/timetable.ts";
import type { Finding } from "../api/parts.ts";
import { sentenceOf } from "../planner/findings/finding.ts";
import { decideSchedule, followedTimetable, type ScheduleDecision, type ScheduleFacts } from "./decide-schedule.ts";
import { runName, type ScheduledRun } from "./schedule-runs.ts";

// Each night at 02:30 in Berlin: 01:30 in UTC in winter.
const FACTS: ScheduleFacts = {
  name: "nightly",
  isOfDatabase: false,
  timetable: nightly("Europe/Berlin"),
  isSuspended: false,
  deadlineMs: undefined,
  since: at("2026-01-01T00:00Z"),
  lastDueAt: undefined,
  runs: [],
  isTaken: () => false,
  now: at("2026-01-01T12:00Z"),
};
const MONDAY = at("2026-01-05T01:30Z");
const DONE_ON_MONDAY = { lastDueAt: MONDAY, runs: [over(MONDAY)] } as const;
const HOUR = 3_600_000;

for (const [rule, facts, step, said] of [
  ["what is not due yet is waited for", { now: at("2026-01-01T01:29Z") }, "wait", /^Scheduled: .*2026-01-01T01:30:00Z/],
  [
    "what is due is begun, under the name of its time",
    { now: at("2026-01-01T01:30Z") },
    "begin",
    /^nightly-20260101-0130$/,
  ],
  ["what was begun is not begun again", { ...DONE_ON_MONDAY, now: MONDAY }, "wait", /^Scheduled: .*2026-01-06T01:30/],
  [
    "nor by an operator that was killed before it could write that down",
    { runs: [over(MONDAY)], now: MONDAY },
    "wait",
    /^Scheduled/,
  ],
  [
    "nor when its object was deleted since",
    { lastDueAt: MONDAY, now: MONDAY + HOUR },
    "wait",
    /^Scheduled: .*2026-01-06T01:30/,
  ],
  [
    "what was due before the schedule was made is not made up for",
    { since: MONDAY + 1, now: MONDAY + HOUR },
    "wait",
    /^Scheduled/,
  ],
  [
    "an operator that was down for days makes up for the last one alone",
    { ...DONE_ON_MONDAY, now: at("2026-01-09T12:00Z") },
    "begin",
    /^nightly-20260109-0130$/,
  ],
  [
    "and for none that is older than the deadline",
    { ...DONE_ON_MONDAY, now: at("2026-01-09T12:00Z"), deadlineMs: HOUR },
    "miss",
    /^Missed: .*2026-01-09T01:30:00Z was not begun until 2026-01-09T02:30:00Z, and is left out/,
  ],
  [
    "one that can be begun at its deadline is begun",
    { ...DONE_ON_MONDAY, now: at("2026-01-09T02:30Z"), deadlineMs: HOUR },
    "begin",
    /^nightly-20260109-0130$/,
  ],
  [
    "what is due waits for one that is under way, which is named",
    { lastDueAt: MONDAY, runs: [under(MONDAY)], now: at("2026-01-06T01:30Z") },
    "wait",
    /^RunUnderWay: .*2026-01-06T01:30:00Z waits until nightly-20260105-0130 has ended/,
  ],
  [
    "one that is under way is named also when nothing is due",
    { lastDueAt: MONDAY, runs: [under(MONDAY)], now: MONDAY + HOUR },
    "wait",
    /^Running: nightly-20260105-0130 is under way; .*2026-01-06/,
  ],
  [
    "what waited is begun once that one has ended",
    { ...DONE_ON_MONDAY, now: at("2026-01-06T05:00Z") },
    "begin",
    /^nightly-20260106-0130$/,
  ],
  [
    "and left out when that takes too long",
    { lastDueAt: MONDAY, runs: [under(MONDAY)], now: at("2026-01-06T05:00Z"), deadlineMs: HOUR },
    "miss",
    /^Missed: .*since nightly-20260105-0130 has not ended/,
  ],
  ["a schedule that is suspended begins nothing", { isSuspended: true, now: MONDAY }, "wait", /^Suspended: /],
  [
    "one that is resumed makes up for the last one that was due meanwhile",
    { ...DONE_ON_MONDAY, now: at("2026-01-20T12:00Z") },
    "begin",
    /^nightly-20260120-0130$/,
  ],
  [
    "a clock that is set back makes none twice",
    { ...DONE_ON_MONDAY, now: MONDAY - HOUR },
    "wait",
    /^Scheduled: .*2026-01-06T01:30/,
  ],
  [
    "one that is set back by days makes what is due then, although later ones were made",
    { ...DONE_ON_MONDAY, now: at("2026-01-03T02:00Z") },
    "begin",
    /^nightly-20260103-0130$/,
  ],
  [
    "a name that another object has is refused",
    { isTaken: () => true, now: MONDAY },
    "block",
    /^NameTaken: .*"nightly-20260105-0130".*kubectl delete rebackup nightly-20260105-0130$/,
  ],
  [
    "one that does not go on is named with its reason and the way out, also before the next one is due",
    { ...DONE_ON_MONDAY, runs: [stalled(MONDAY)], now: MONDAY + HOUR },
    "block",
    /^RunStalled: .*ObjectStoreBucket: there is none\. .*kubectl delete rebackup nightly-20260105-0130$/,
  ],
  [
    "of one that a database asks for, the way out leads to the database: an edit of the schedule would be put back",
    {
      ...DONE_ON_MONDAY,
      name: "orders",
      isOfDatabase: true,
      runs: [stalled(MONDAY, "Cut: see the log.")],
      now: MONDAY + HOUR,
    },
    "block",
    /Cut: see the log\. It keeps .*; remedy: correct spec\.backup of the database "orders" where it is wrong, then kubectl/,
  ],
  [
    "when clocks are put forward over its time, it is begun right after that",
    { lastDueAt: at("2026-03-28T01:30Z"), now: at("2026-03-29T01:00Z") },
    "begin",
    /^nightly-20260329-0100$/,
  ],
  [
    "when clocks are put back, its time comes twice, and it is begun at the first one",
    { lastDueAt: at("2026-10-24T00:30Z"), now: at("2026-10-25T00:30Z") },
    "begin",
    /^nightly-20261025-0030$/,
  ],
  [
    "and not at the second one",
    { lastDueAt: at("2026-10-25T00:30Z"), now: at("2026-10-25T01:30Z") },
    "wait",
    /^Scheduled: .*2026-10-26T01:30/,
  ],
] as const satisfies readonly (readonly [
  string,
  Partial<ScheduleFacts>,
  "begin" | "wait" | "miss" | "block",
  RegExp,
])[])
  test(rule, () => {
    const [kind, words] = wordsOf(decideSchedule({ ...FACTS, ...facts }).step);
    assert.equal(kind, step);
    assert.match(words, said);
  });

test("it is looked at again when the next one is due, or one that waits is too late", () => {
  const waiting = { lastDueAt: MONDAY, runs: [under(MONDAY)], now: at("2026-01-06T01:30Z") };
  assert.equal(decideSchedule({ ...FACTS, ...waiting }).lookAt, at("2026-01-07T01:30Z"));
  assert.equal(decideSchedule({ ...FACTS, ...waiting, deadlineMs: HOUR }).lookAt, at("2026-01-06T02:30Z") + 1);
  assert.equal(decideSchedule({ ...FACTS, isSuspended: true }).lookAt, undefined);
});

const TEXT = { schedule: "30 2 * * *", timeZone: "UTC" };
const NOW = at("2026-01-05T12:00Z");
const MADE = at("2026-01-01T00:00Z");

for (const [rule, before, since] of [
  ["a new schedule counts from when it was made", {}, MADE],
  [
    "it goes on as it was",
    { timetable: "30 2 * * * UTC", timetableTime: "2026-01-02T00:00Z" },
    at("2026-01-02T00:00Z"),
  ],
  ["another timetable makes up for nothing", { timetable: "0 1 * * * UTC", timetableTime: "2026-01-02T00:00Z" }, NOW],
  ["a clock that was ahead holds none up", { timetable: "30 2 * * * UTC", timetableTime: "2027-01-02T00:00Z" }, NOW],
] as const)
  test(rule, () => {
    assert.deepEqual(followedTimetable(TEXT, before, { madeAt: MADE, now: NOW }), {
      timetable: "30 2 * * * UTC",
      since,
    });
  });

function wordsOf(step: ScheduleDecision["step"]): readonly [kind: string, words: string] {
  if (step.kind === "rest") assert.fail("a schedule never rests");
  if (step.kind === "wait") return [step.wait.severity, sayFinding(step.wait)];
  return step.act.kind === "begin" ? ["begin", step.act.name] : ["miss", sayFinding(step.act.finding)];
}

function sayFinding(finding: Finding): string {
  return `${finding.id}: ${sentenceOf(finding)}`;
}

function nightly(timeZone: string) {
  const timetable = readTimetable({ schedule: "30 2 * * *", timeZone });
  if ("why" in timetable) assert.fail(timetable.why);
  return timetable;
}

function at(text: string): number {
  return Date.parse(text);
}

function over(dueAt: number): ScheduledRun {
  return {
    name: runName("nightly", dueAt),
    dueAt,
    isOver: true,
    isUnderWay: false,
    goodAt: dueAt,
    restorableAt: dueAt,
    trouble: undefined,
  };
}

function under(dueAt: number): ScheduledRun {
  return {
    name: runName("nightly", dueAt),
    dueAt,
    isOver: false,
    isUnderWay: true,
    goodAt: undefined,
    restorableAt: undefined,
    trouble: undefined,
  };
}

function stalled(dueAt: number, trouble = "ObjectStoreBucket: there is none"): ScheduledRun {
  return { ...under(dueAt), trouble };
}
