import { z } from "zod";
import { backupSpec } from "./backup-spec.ts";
import { condition } from "./parts.ts";

/** `spec` of a StoreEnterpriseBackupSchedule: backups of a database, again and again. */
export const backupScheduleSpec = backupSpec.omit({ verifyRequest: true }).extend({
  schedule: z
    .string()
    .min(1)
    .max(100)
    .describe(
      "When a backup is due, as five fields of cron: minute, hour, day of the month, month, day of the week; for instance `30 2 * * *`.",
    ),
  timeZone: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe(
      "The zone of these times, a name of the IANA database such as `Europe/Berlin`; `UTC` when absent. A time that clocks pass over is due right after it, one that comes twice once.",
    ),
  suspend: z
    .boolean()
    .optional()
    .describe("Whether no backup is begun for now; what was due last meanwhile is taken once this is false again."),
  startingDeadlineSeconds: z
    .int()
    .min(60)
    .max(31_536_000)
    .optional()
    .describe(
      "A backup that could not be begun so long after it was due is left out; without it, the last one that was missed is always made up for.",
    ),
  retention: z
    .object({
      count: z
        .int()
        .min(1)
        .max(10_000)
        .optional()
        .describe("So many are kept, the newest ones, of those that can be restored."),
      ageDays: z
        .int()
        .min(1)
        .max(36_500)
        .optional()
        .describe("Those are kept that are at most so many days older than the newest one that can be restored."),
    })
    .optional()
    .describe(
      "What is kept of the backups that this schedule has made; one goes, with its data, when neither field keeps it. The newest one that can be restored always stays. Without it all are kept.",
    ),
});
export type BackupScheduleSpec = z.output<typeof backupScheduleSpec>;

/** `status` of a StoreEnterpriseBackupSchedule. */
export const backupScheduleStatus = z.object({
  timetable: z.string().optional().describe("The schedule and the time zone that are followed."),
  timetableTime: z
    .string()
    .optional()
    .describe("Since when they are; what had been due by them before is not made up for."),
  lastScheduleTime: z.string().optional().describe("When the last backup was due that was begun."),
  lastBackup: z.string().optional().describe("Name of the StoreEnterpriseBackup that was made for it."),
  nextScheduleTime: z.string().optional().describe("When the next one is due."),
  missedScheduleTime: z
    .string()
    .optional()
    .describe("When the last one was due that was left out, since it could not be begun in time."),
  active: z.string().optional().describe("Name of the backup that is under way."),
  lastRestorable: z
    .string()
    .optional()
    .describe("Name of the newest backup of this schedule that an engine has loaded."),
  lastRestorableTime: z.string().optional().describe("When that one was complete."),
  wantedAgeSeconds: z
    .int()
    .optional()
    .describe(
      "How old the newest backup of the database may be that can be restored: half as much again as the longest time between two that are due.",
    ),
  observedGeneration: z.int().optional().describe("Generation of the spec that this status describes."),
  conditions: z.array(condition).optional().describe("Ready, Fresh, Retention, Reconciling, Stalled."),
});
export type BackupScheduleStatus = z.output<typeof backupScheduleStatus>;
