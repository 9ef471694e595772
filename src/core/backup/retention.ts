import type { BackupScheduleSpec } from "../api/backup-schedule-spec.ts";
import type { ScheduledRun } from "./schedule-runs.ts";

/** What is kept of the backups of a schedule. */
export type Retention = NonNullable<BackupScheduleSpec["retention"]>;

/** What of a run of a schedule says whether it stays. */
export type RetainedRun = Pick<ScheduledRun, "name" | "dueAt" | "isUnderWay" | "goodAt" | "restorableAt">;

/** What else a decision about them rests on. */
interface RetentionFacts {
  /** Whether something reads it. */
  readonly isInUse: (name: string) => boolean;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/**
 * The backups of a schedule that are to go, the oldest first. Only good ones count, by the time at which they were complete, and each stays that one of
 * the fields keeps. One that is of no use goes when it is older than all that stay. The newest that can be restored, one that is under way and one that
 * `isInUse` stay in any case, and so does one that a clock which was ahead has put into the future: nothing is measured by it.
 */
export function decideRetention(
  runs: readonly RetainedRun[],
  { count, ageDays }: Retention,
  { isInUse, now }: RetentionFacts,
): readonly string[] {
  if (count === undefined && ageDays === undefined) return [];
  const timed = runs.flatMap((run) => {
    // none was complete before it was due: the clock that says so was behind
    return run.goodAt === undefined ? [] : [{ run, at: Math.max(run.goodAt, run.dueAt) }];
  });
  const good = timed.filter(({ at }) => at <= now + SKEW_MS).toSorted((one, other) => other.at - one.at);
  const [newest] = good;
  if (newest === undefined) return [];
  const restorable = good.find(({ run }) => run.restorableAt !== undefined);
  const kept = good.filter(
    (one, index) =>
      one === newest ||
      one === restorable ||
      (count !== undefined && index < count) ||
      (ageDays !== undefined && newest.at - one.at <= ageDays * DAY_MS),
  );
  const oldest = Math.min(...kept.map(({ run }) => run.dueAt));
  const ahead = timed.filter(({ at }) => at > now + SKEW_MS);
  const names = new Set([...kept, ...ahead].map(({ run }) => run.name));
  return runs
    .filter(({ name, goodAt, dueAt }) => (goodAt === undefined ? dueAt < oldest : !names.has(name)))
    .filter(({ name, isUnderWay }) => !isUnderWay && !isInUse(name))
    .toSorted((one, other) => one.dueAt - other.dueAt)
    .map(({ name }) => name);
}

/** What is kept, as a condition says it. */
export function retentionText({ count, ageDays }: Retention): string {
  const rules = [
    ...(count === undefined ? [] : [`the last ${count}`]),
    ...(ageDays === undefined ? [] : [`those of the ${ageDays} days before the newest one`]),
  ];
  return rules.length === 0 ? "all" : rules.join(" and ");
}

const DAY_MS = 86_400_000;
/** So far two clocks may be apart. */
const SKEW_MS = 3_600_000;
