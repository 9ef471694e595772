import { freshnessOf, newestBackupAt } from "../../../core/backup/freshness.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";

/** How old the newest backup of each database is that can be restored, and may be by each schedule, in seconds. */
export interface BackupAges {
  readonly ages: readonly AgeSample[];
  readonly wanted: readonly AgeSample[];
}

/** As a metric shows it. */
interface AgeSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Of all databases of a namespace that have a schedule or a backup that can be restored. */
export function backupAgesIn(
  { backups, backupSchedules, databases }: Pick<InformerCache, "backups" | "backupSchedules" | "databases">,
  namespace: string,
  now: number,
): BackupAges {
  const schedules = backupSchedules.list();
  const all = backups.list();
  const scheduled = schedules.map(({ spec }) => spec.databaseName);
  const names = new Set([...scheduled, ...databases.list().map(({ metadata }) => metadata.name)]);
  const labelsOf = (database: string) => ({ database_namespace: namespace, database });
  return {
    ages: [...names].flatMap((database) => {
      const newestAt = newestBackupAt(all, database);
      if (newestAt === undefined && !scheduled.includes(database)) return [];
      const made = schedules.filter(({ spec }) => spec.databaseName === database).map(madeAt);
      const { ageMs } = freshnessOf({ newestAt, since: Math.min(now, ...made), wantedMs: 0, now });
      return [{ labels: labelsOf(database), value: ageMs / 1_000 }];
    }),
    wanted: schedules.flatMap(({ metadata, spec, status }) => {
      const value = status?.wantedAgeSeconds;
      if (value === undefined) return [];
      return [{ labels: { ...labelsOf(spec.databaseName), schedule: metadata.name }, value }];
    }),
  };
}

function madeAt({ metadata }: { readonly metadata: { readonly creationTimestamp?: unknown } }): number {
  return Date.parse(String(metadata.creationTimestamp));
}
