import { exposition } from "../../../core/api/metrics/exposition.ts";
import type { BackupAges } from "../backup/ages.ts";
import type { Outcome } from "#kit/reconcile/outcome";

/** Counts what controllers do. */
export interface Metrics {
  /** The same reconciler, counted under `controller` together with those of other namespaces. */
  counted(controller: string, reconcile: (key: string) => Promise<Outcome>): (key: string) => Promise<Outcome>;
  setLeading(leading: boolean): void;
  /** How many verbs the operator lacks. */
  setMissingPermissions(count: number): void;
  /** Shows the ages of backups that `look` finds, until what it returns is called. */
  showAges(look: () => BackupAges): () => void;
  /** Prometheus exposition format. */
  text(): string;
}

interface Count {
  passes: number;
  failures: number;
  milliseconds: number;
}

/** Metrics that begin at zero; `now` in milliseconds. */
export function startMetrics(release: string, now: () => number): Metrics {
  const counts = new Map<string, Count>();
  const looks = new Set<() => BackupAges>();
  let leads = false;
  let missingPermissions = 0;
  return {
    counted: (controller, reconcile) => {
      const count: Count = counts.get(controller) ?? { passes: 0, failures: 0, milliseconds: 0 };
      counts.set(controller, count);
      return async (key) => {
        const began = now();
        try {
          return await reconcile(key);
        } catch (error) {
          count.failures += 1;
          throw error;
        } finally {
          count.passes += 1;
          count.milliseconds += now() - began;
        }
      };
    },
    setLeading: (leading) => {
      leads = leading;
    },
    setMissingPermissions: (missing) => {
      missingPermissions = missing;
    },
    showAges: (look) => {
      looks.add(look);
      return () => {
        looks.delete(look);
      };
    },
    text: () => exposition({ ...familiesOf(counts, release, { leads, missingPermissions }), ...agesOf(looks) }),
  };
}

function familiesOf(
  counts: ReadonlyMap<string, Count>,
  release: string,
  { leads, missingPermissions }: { readonly leads: boolean; readonly missingPermissions: number },
) {
  return {
    store_operator_info: [{ labels: { release }, value: 1 }],
    store_operator_leading: [{ labels: {}, value: leads ? 1 : 0 }],
    store_operator_missing_permissions: [{ labels: {}, value: missingPermissions }],
    store_operator_passes_total: family(counts, ({ passes }) => passes),
    store_operator_pass_failures_total: family(counts, ({ failures }) => failures),
    store_operator_pass_seconds_total: family(counts, ({ milliseconds }) => milliseconds / 1000),
  };
}

function agesOf(looks: ReadonlySet<() => BackupAges>) {
  const backups = [...looks].map((look) => look());
  return {
    store_backup_age_seconds: backups.flatMap(({ ages }) => ages),
    store_backup_wanted_age_seconds: backups.flatMap(({ wanted }) => wanted),
  };
}

function family(counts: ReadonlyMap<string, Count>, value: (count: Count) => number) {
  return [...counts].map(([controller, count]) => ({ labels: { controller }, value: value(count) }));
}
