import { MOST_SCHEDULE_NAME } from "../../api/asked-backup.ts";
import { backupScheduleSpec, type BackupScheduleSpec } from "../../api/backup-schedule-spec.ts";
import { readTimetable } from "../../base/timetable.ts";
import { invalidValue, type Objection, type SpecRule } from "./objection.ts";

/** A StoreEnterpriseBackupSchedule. */
export interface ReviewedBackupSchedule {
  readonly name: string;
  readonly spec: BackupScheduleSpec;
}

/** The time zone of a schedule that names none. */
export const DEFAULT_TIME_ZONE = "UTC";

/** What is asked of a schedule of backups, in the order in which objections are listed. */
export const BACKUP_SCHEDULE_RULES: readonly SpecRule<ReviewedBackupSchedule>[] = [nameFits, timetableIsReadable];

/** How a schedule of backups is judged. */
export const BACKUP_SCHEDULE_REVIEW = {
  schema: backupScheduleSpec,
  rules: BACKUP_SCHEDULE_RULES,
  factsOf: (name: string) => (spec: BackupScheduleSpec) => ({ name, spec }),
} as const;

/** The time is put behind it for the name of each backup, and a label holds it. */
function nameFits({ name }: ReviewedBackupSchedule): readonly Objection[] {
  if (name.length <= MOST_SCHEDULE_NAME) return [];
  const why = `a schedule may have ${MOST_SCHEDULE_NAME} characters, since backups are called after it, with the time behind it`;
  return [invalidValue("metadata.name", name, why, "call it otherwise")];
}

function timetableIsReadable({ spec }: ReviewedBackupSchedule): readonly Objection[] {
  const { schedule, timeZone = DEFAULT_TIME_ZONE } = spec;
  const read = readTimetable({ schedule, timeZone });
  if (!("why" in read)) return [];
  return [invalidValue(`spec.${read.field}`, { schedule, timeZone }[read.field], read.why, read.remedy)];
}
