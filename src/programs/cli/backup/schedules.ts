import { foldText, textTable } from "../console/output.ts";
import type { ScheduleObject } from "./find.ts";

/** Whether it is followed: nobody has to see to it. */
export function isFollowed({ status }: ScheduleObject): boolean {
  return readyOf(status)?.status !== "False";
}

/** Whether a backup does not go that it does not keep. */
export function keepsTooMany({ status }: ScheduleObject): boolean {
  return status?.conditions?.find(({ type }) => type === "Retention")?.status === "False";
}

/** The schedule of that name, else those of the database of that name; all without one. */
export function chosenSchedules(all: readonly ScheduleObject[], name: string | undefined): readonly ScheduleObject[] {
  if (name === undefined) return all;
  const named = all.filter(({ metadata }) => metadata.name === name);
  return named.length > 0 ? named : all.filter(({ spec }) => spec.databaseName === name);
}

/** What is said where there is none: what was asked for, and the names that there are. */
export function noSchedulesText(all: readonly ScheduleObject[], name: string | undefined): string {
  if (name === undefined) return "no schedules of backups\n";
  const names = all.map(({ metadata, spec }) => `${metadata.name} of ${spec.databaseName}`).join(", ");
  return `no schedule "${name}", and none of a database "${name}"; there are: ${names || "none"}\n`;
}

/** A row for each, and what each waits for. */
export function schedulesTable(schedules: readonly ScheduleObject[], columns: number): string {
  const table = textTable(
    ["SCHEDULE", "DATABASE", "DUE", "LAST", "RESTORABLE", "NEXT", "STATE"],
    schedules.map(rowOf),
    columns,
  );
  const reasons = schedules.flatMap(({ metadata, status = {} }) => {
    const said = (status.conditions ?? []).filter(({ type, reason, status: holds }) => {
      return (type === "Ready" && !QUIET.includes(reason)) || (type === "Retention" && holds === "False");
    });
    return said.flatMap(({ reason, message }) => [
      `\n${metadata.name}: ${reason}\n`,
      foldText(message, "   ", columns),
    ]);
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
