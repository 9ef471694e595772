import { foldText, textTable } from "../console/output.ts";
import type { ScheduleObject } from "./find.ts";

/** Whether it is followed: nobody has to see to it. */
export function isFollowed({ status }: ScheduleObject): boolean {
  return readyOf(status)?.status !== "False";
}

/** A row for each, and what each waits for. */
export function schedulesTable(schedules: readonly ScheduleObject[], columns: number): string {
  if (schedules.length === 0) return "no schedules of backups\n";
  const table = textTable(
    ["SCHEDULE", "DATABASE", "DUE", "LAST", "RESTORABLE", "NEXT", "STATE"],
    schedules.map(rowOf),
    columns,
  );
  const reasons = schedules.flatMap(({ metadata, status }) => {
    const ready = readyOf(status);
    if (ready === undefined || QUIET.includes(ready.reason)) return [];
    return [`\n${metadata.name}: ${ready.reason}\n`, foldText(ready.message, "   ", columns)];
  });
  return [table, ...reasons].join("");
}

function rowOf({ metadata, spec, status = {} }: ScheduleObject): readonly string[] {
  return [
    metadata.name,
    spec.databaseName,
    `${spec.schedule} ${spec.timeZone ?? "UTC"}`,
    minuteOf(status.lastScheduleTime),
    minuteOf(status.lastRestorableTime),
    minuteOf(status.nextScheduleTime),
    readyOf(status)?.reason ?? "-",
  ];
}

function minuteOf(time: string | undefined): string {
  return time === undefined ? "-" : `${time.slice(0, 16)}Z`;
}

function readyOf(status: ScheduleObject["status"]) {
  return status?.conditions?.find(({ type }) => type === "Ready");
}

/** What the columns say already. */
const QUIET: readonly string[] = ["Scheduled", "Suspended"];
