import { BACKUP_SCHEDULE_LABEL } from "../api/names.ts";
import type { StoreEnterpriseBackup } from "../api/kinds.ts";

/** A backup that a schedule has asked for; times in milliseconds since 1970. */
export interface ScheduledRun {
  readonly name: string;
  readonly dueAt: number;
  /** It is complete or has failed. */
  readonly isOver: boolean;
  /** When it was complete, of one that an engine has loaded. */
  readonly restorableAt: number | undefined;
  /** Why it does not go on before somebody sees to it; undefined: it goes on. */
  readonly trouble: string | undefined;
}

/** The name of the backup that is due then, to the minute: two that are asked for it are one. */
export function runName(schedule: string, dueAt: number): string {
  const [date = "", time = ""] = new Date(dueAt).toISOString().split("T");
  return `${schedule}-${date.replaceAll("-", "")}-${time.slice(0, 5).replace(":", "")}`;
}

/** That object as a run of the schedule; undefined when somebody else has made it, or for another database. */
export function scheduledRunOf(
  { metadata, spec, status = {} }: StoreEnterpriseBackup,
  schedule: { readonly name: string; readonly databaseName: string },
): ScheduledRun | undefined {
  const { name = "", labels } = metadata ?? {};
  if (labels?.[BACKUP_SCHEDULE_LABEL] !== schedule.name || spec.databaseName !== schedule.databaseName)
    return undefined;
  const dueAt = dueAtIn(name);
  if (dueAt === undefined || runName(schedule.name, dueAt) !== name) return undefined;
  const isRestorable = status.conditions?.some(({ type, status: holds }) => type === "Restorable" && holds === "True");
  const { phase, completionTime } = status;
  const stalled = status.conditions?.find(({ type, status: holds }) => type === "Stalled" && holds === "True");
  const isOver = phase === "Completed" || phase === "Failed";
  return {
    name,
    dueAt,
    isOver,
    trouble: isOver || stalled === undefined ? undefined : `${stalled.reason}: ${stalled.message}`,
    restorableAt: isRestorable === true && completionTime !== undefined ? Date.parse(completionTime) : undefined,
  };
}

function dueAtIn(name: string): number | undefined {
  const [, year, month, day, hour, minute] = /-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)$/.exec(name) ?? [];
  const at = Date.parse(`${year ?? ""}-${month ?? ""}-${day ?? ""}T${hour ?? ""}:${minute ?? ""}:00Z`);
  return Number.isNaN(at) ? undefined : at;
}
