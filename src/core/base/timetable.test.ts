import assert from "node:assert/strict";
import { test } from "node:test";
import { readTimetable, type Timetable, type TimetableText } from "./timetable.ts";

const BERLIN = "Europe/Berlin";

for (const [rule, schedule, after, due] of [
  ["each night at its time", "30 2 * * *", "2026-01-10T12:00Z", ["2026-01-11T01:30Z", "2026-01-12T01:30Z"]],
  [
    "a time that clocks pass over when they are put forward is due at the first one that there is",
    "30 2 * * *",
    "2026-03-28T12:00Z",
    ["2026-03-29T01:00Z", "2026-03-30T00:30Z"],
  ],
  [
    "several such times are one",
    "15,45 2 * * *",
    "2026-03-28T12:00Z",
    ["2026-03-29T01:00Z", "2026-03-30T00:15Z", "2026-03-30T00:45Z"],
  ],
  [
    "a time that comes twice when clocks are put back is due once",
    "30 2 * * *",
    "2026-10-24T12:00Z",
    ["2026-10-25T00:30Z", "2026-10-26T01:30Z"],
  ],
  [
    "each hour is due each hour when clocks are put back",
    "0 * * * *",
    "2026-10-24T23:30Z",
    ["2026-10-25T00:00Z", "2026-10-25T01:00Z", "2026-10-25T02:00Z"],
  ],
  [
    "each hour is due each hour when clocks are put forward",
    "0 * * * *",
    "2026-03-28T23:30Z",
    ["2026-03-29T00:00Z", "2026-03-29T01:00Z", "2026-03-29T02:00Z"],
  ],
  ["a day of the month or one of the week is enough", "0 0 1 * mon", "2026-01-01T12:00Z", ["2026-01-04T23:00Z"]],
  ["the 29th of February comes in leap years", "0 0 29 2 *", "2026-01-01T12:00Z", ["2028-02-28T23:00Z"]],
] as const)
  test(rule, () => {
    const timetable = made({ schedule, timeZone: BERLIN });
    const times: string[] = [];
    for (let at = timetable.nextAfter(Date.parse(after)); times.length < due.length; at = timetable.nextAfter(at ?? 0))
      times.push(new Date(at ?? 0).toISOString().replace(":00.000", ""));
    assert.deepEqual(times, due);
    for (const time of due) assert.equal(timetable.lastUntil(Date.parse(time)), Date.parse(time));
  });

test("the last time counts from its very millisecond on", () => {
  const timetable = made({ schedule: "30 2 * * *", timeZone: "UTC" });
  const due = Date.UTC(2026, 0, 2, 2, 30);
  const [before, at, after] = [due - 1, due, due + 1].map(timetable.lastUntil);
  assert.deepEqual([before, at, after], [due - 86_400_000, due, due]);
  assert.deepEqual([timetable.nextAfter(due - 1), timetable.nextAfter(due)], [due, due + 86_400_000]);
});

for (const [rule, text, field, says] of [
  ["a sixth field is refused, as seconds are none of cron", { schedule: "0 30 2 * * *" }, "schedule", /five fields/],
  ["so is a fourth that is missing", { schedule: "30 2 * *" }, "schedule", /five fields/],
  ["so is a name of a timetable", { schedule: "@daily" }, "schedule", /five fields/],
  ["so is what only some cron know", { schedule: "0 0 L * *" }, "schedule", /five fields/],
  ["so is a zone in the schedule", { schedule: "TZ=UTC 0 0 * * *" }, "schedule", /five fields/],
  ["so is a minute that there is not", { schedule: "61 * * * *" }, "schedule", /minute: 61/],
  ["so is a range backwards", { schedule: "5-1 * * * *" }, "schedule", /from a later value to an earlier one/],
  ["so is a day that never comes", { schedule: "0 0 30 2 *" }, "schedule", /never comes/],
  ["so is nothing", { schedule: "" }, "schedule", /five fields/],
  ["a zone that is in no database is refused", { timeZone: "Europe/Nowhere" }, "timeZone", /IANA/],
  ["so is an offset, which knows no summer", { timeZone: "+01:00" }, "timeZone", /IANA/],
] as const satisfies readonly (readonly [string, Partial<TimetableText>, string, RegExp])[])
  test(rule, () => {
    const read = readTimetable({ schedule: "0 0 * * *", timeZone: "UTC", ...text });
    assert.ok("why" in read);
    assert.equal(read.field, field);
    assert.match(read.why, says);
  });

function made(text: TimetableText): Timetable {
  const read = readTimetable(text);
  if ("why" in read) assert.fail(read.why);
  return read;
}
