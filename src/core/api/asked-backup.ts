import { z } from "zod";
import { backupScheduleSpec } from "./backup-schedule-spec.ts";

/** The most characters of a schedule of backups, which are called after it with the time behind it; as CronJobs have it. */
export const MOST_SCHEDULE_NAME = 52;

/** What divides a day into whole hours, in seconds. */
const INTERVALS = [3_600, 7_200, 10_800, 14_400, 21_600, 28_800, 43_200, 86_400] as const;

/** The interval of backups that name none, in seconds: a day. */
export const DEFAULT_INTERVAL = 86_400;

/** `spec.backup` of a StoreEnterpriseDatabase: backups of it, again and again. */
export const askedBackup = backupScheduleSpec
  .pick({ s3: true, encryption: true, retention: true, bytesPerSecond: true, verify: true })
  .extend({
    interval: z
      .literal(INTERVALS, { error: `must be one of ${INTERVALS.join(", ")}` })
      .meta({ type: "integer" })
      .optional()
      .describe("Seconds from one backup to the next; 86400, a day, when absent."),
    intervalOffset: z
      .int()
      .min(0)
      .max(86_340)
      .multipleOf(60)
      .optional()
      .describe(
        "Seconds after midnight UTC at which the first backup of a day is due, in whole minutes, less than `interval`; when absent, a time that follows from the uid of the database, and is spread by it.",
      ),
  })
  .superRefine(({ interval = DEFAULT_INTERVAL, intervalOffset = 0 }, { addIssue }) => {
    if (intervalOffset < interval) return;
    const message = `must be less than the interval, which is ${interval} seconds`;
    addIssue({ code: "custom", path: ["intervalOffset"], input: intervalOffset, message });
  });
export type AskedBackup = z.output<typeof askedBackup>;

/** Why a database has no backups by its `spec.backup`; undefined where it may. */
export function whyUnoffered({
  name,
  isSite,
}: {
  readonly name: string;
  readonly isSite: boolean;
}): string | undefined {
  if (isSite) return "the sites of an Active-Active database are not saved";
  if (name.length <= MOST_SCHEDULE_NAME) return undefined;
  return `the schedule of its backups is called after the database and may have ${MOST_SCHEDULE_NAME} characters, and "${name}" has ${name.length}`;
}
