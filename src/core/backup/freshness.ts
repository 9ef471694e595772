import type { StoreEnterpriseBackup } from "../api/kinds.ts";
import type { Timetable } from "../base/timetable.ts";

/** What of a database says how old its newest backup is; times in milliseconds since 1970. */
export interface FreshnessFacts {
  /** When the newest backup was complete that an engine has loaded; undefined: there is none. */
  readonly newestAt: number | undefined;
  /** Since when there are to be any. */
  readonly since: number;
  /** How old the newest one may be. */
  readonly wantedMs: number;
  readonly now: number;
}

/** How old the newest backup is that can be restored. */
export interface Freshness {
  /** Of a database without one, the time since there was to be one. */
  readonly ageMs: number;
  readonly isStale: boolean;
  /** When it becomes too old. */
  readonly staleAt: number;
}

/** How old it is, and whether that is too old. */
export function freshnessOf({ newestAt, since, wantedMs, now }: FreshnessFacts): Freshness {
  const from = newestAt ?? since;
  const ageMs = Math.max(0, now - from);
  return { ageMs, isStale: ageMs > wantedMs, staleAt: from + wantedMs };
}

/** How old the newest backup of a schedule may be: half as much again as the longest time between two of the next ones, so that one which fails is noticed before the next one. */
export function wantedAgeMs({ nextAfter }: Timetable, now: number): number {
  let longest = 0;
  let before = nextAfter(now);
  for (let count = 0; count < COMPARED && before !== undefined; count++) {
    const next = nextAfter(before);
    if (next !== undefined) longest = Math.max(longest, next - before);
    before = next;
  }
  return longest * ALLOWANCE;
}

/** Enough for one that is due several times a day, but not each day of the week. */
const COMPARED = 100;
const ALLOWANCE = 1.5;

/** The newest of these backups of a database that can be restored, and when it was complete; undefined when none can. One that is not to be loaded counts as it is. None was complete after its deadline: a clock that was ahead keeps none new for long. */
export function newestBackup(
  backups: readonly StoreEnterpriseBackup[],
  databaseName: string,
): { readonly name: string; readonly at: number } | undefined {
  const good = backups.flatMap(({ metadata, spec, status = {} }) => {
    const { phase, completionTime, conditions } = status;
    if (spec.databaseName !== databaseName || phase !== "Completed" || completionTime === undefined) return [];
    const restorable = conditions?.find(({ type }) => type === "Restorable")?.status;
    const counts = restorable === "True" || (spec.verify === false && restorable !== "False");
    const latestAt =
      Date.parse(String(metadata?.creationTimestamp)) + (spec.activeDeadlineSeconds ?? DAY_SECONDS) * 1_000;
    const at = Date.parse(completionTime);
    return counts ? [{ name: metadata?.name ?? "", at: at > latestAt ? latestAt : at }] : [];
  });
  return good.toSorted((one, other) => other.at - one.at)[0];
}

/** What a backup has that does not say it, as its controller takes it. */
const DAY_SECONDS = 86_400;

/** When that one was complete. */
export function newestBackupAt(backups: readonly StoreEnterpriseBackup[], databaseName: string): number | undefined {
  return newestBackup(backups, databaseName)?.at;
}
