import type { Outcome } from "../../../mechanisms/reconcile/outcome.ts";

/** Counts what controllers do. */
export interface Metrics {
  /** The same reconciler, counted under `controller` together with those of other namespaces. */
  counted(controller: string, reconcile: (key: string) => Promise<Outcome>): (key: string) => Promise<Outcome>;
  setLeading(leading: boolean): void;
  /** How many verbs the operator lacks. */
  setMissingPermissions(count: number): void;
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
    text: () =>
      [
        ...gauge("store_operator_info", `{release="${release}"}`, 1),
        ...gauge("store_operator_leading", "", leads ? 1 : 0),
        ...gauge("store_operator_missing_permissions", "", missingPermissions),
        ...family("store_operator_passes_total", counts, ({ passes }) => passes),
        ...family("store_operator_pass_failures_total", counts, ({ failures }) => failures),
        ...family("store_operator_pass_seconds_total", counts, ({ milliseconds }) => milliseconds / 1000),
        "",
      ].join("\n"),
  };
}

function gauge(name: string, labels: string, value: number): string[] {
  return [`# TYPE ${name} gauge`, `${name}${labels} ${value}`];
}

function family(name: string, counts: ReadonlyMap<string, Count>, value: (count: Count) => number): string[] {
  return [
    `# TYPE ${name} counter`,
    ...[...counts].map(([key, count]) => `${name}{controller="${key}"} ${value(count)}`),
  ];
}
