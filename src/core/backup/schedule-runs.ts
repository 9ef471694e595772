import { BACKUP_SCHEDULE_LABEL } from "../api/names.ts";
import type { BackupStatus } from "../api/backup-spec.ts";
import type { StoreEnterpriseBackup } from "../api/kinds.ts";
import { isProofAwaited } from "./decide-proof.ts";

/** A backup that a schedule has asked for; times in milliseconds since 1970. */
export interface ScheduledRun {
  readonly name: string;
  readonly dueAt: number;
  /** It is complete or has failed. */
  readonly isOver: boolean;
  /** It may still change: it is not complete, or an engine is to load it. */
  readonly isUnderWay: boolean;
  /** When it was complete, of one that counts: an engine has loaded it, or it is not to be loaded. */
  readonly goodAt: number | undefined;
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
  const isOver = status.phase === "Completed" || status.phase === "Failed";
  return {
    name,
    dueAt,
    isOver,
    isUnderWay: !isOver || (status.phase === "Completed" && isProofAwaited(spec, status)),
    trouble: isOver ? undefined : troubleOf(status),
    ...goodnessOf(spec, status),
  };
}

function troubleOf({ conditions }: BackupStatus): string | undefined {
  const stalled = conditions?.find(({ type, status }) => type === "Stalled" && status === "True");
  return stalled === undefined ? undefined : `${stalled.reason}: ${stalled.message}`;
}

function goodnessOf(
  { verify }: Pick<StoreEnterpriseBackup["spec"], "verify">,
  { phase, completionTime, conditions }: BackupStatus,
): Pick<ScheduledRun, "goodAt" | "restorableAt"> {
  const restorable = conditions?.find(({ type }) => type === "Restorable")?.status;
  const completeAt = phase !== "Completed" || completionTime === undefined ? undefined : Date.parse(completionTime);
  const isGood = restorable === "True" || (verify === false && restorable !== "False");
  return { goodAt: isGood ? completeAt : undefined, restorableAt: restorable === "True" ? completeAt : undefined };
}

function dueAtIn(name: string): number | undefined {
  const [, year, month, day, hour, minute] = /-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)$/.exec(name) ?? [];
  const at = Date.parse(`${year ?? ""}-${month ?? ""}-${day ?? ""}T${hour ?? ""}:${minute ?? ""}:00Z`);
  return Number.isNaN(at) ? undefined : at;
}
