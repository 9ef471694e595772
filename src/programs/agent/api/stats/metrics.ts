import type { Info } from "../../../../ports/resp/info.ts";

/** Numbers by name, as such APIs name them; a number that an engine does not report is absent. */
export type MetricValues = Readonly<Record<string, number>>;

/** Where a metric stands in the answer of an engine. */
const OF_ENGINES: Readonly<Record<string, string>> = {
  used_memory: "used_memory",
  used_memory_peak: "used_memory_peak",
  used_memory_rss: "used_memory_rss",
  memory_limit: "maxmemory",
  mem_size_lua: "used_memory_lua",
  mem_frag_ratio: "mem_fragmentation_ratio",
  connected_clients: "connected_clients",
  blocked_clients: "blocked_clients",
  pubsub_channels: "pubsub_channels",
  pubsub_patterns: "pubsub_patterns",
  last_save_time: "rdb_last_save_time",
  rdb_changes_since_last_save: "rdb_changes_since_last_save",
  total_req: "instantaneous_ops_per_sec",
};

/** What one engine measures of itself; `total_req` in requests a second, memory in bytes. */
export function shardMetrics(info: Info): MetricValues {
  const reported = Object.entries(OF_ENGINES).flatMap(([metric, field]) => {
    const value = Number(info.get(field) ?? Number.NaN);
    return Number.isFinite(value) ? [[metric, value] as const] : [];
  });
  return { ...Object.fromEntries(reported), no_of_keys: keys(info, "keys"), no_of_expires: keys(info, "expires") };
}

/** Sums of the metrics named, each over the shards that report it; one that none reports is absent. */
export function sumOf(all: readonly MetricValues[], names: readonly string[]): MetricValues {
  const sums = names.flatMap((name) => {
    const values = all.map((metrics) => metrics[name]).filter((value) => value !== undefined);
    return values.length === 0 ? [] : [[name, values.reduce((sum, value) => sum + value, 0)] as const];
  });
  return Object.fromEntries(sums);
}

/** Over the numbered databases of an engine: `db0:keys=3,expires=1,avg_ttl=0`. */
function keys(info: Info, field: "keys" | "expires"): number {
  const counts = [...info.entries()].map(([name, value]) =>
    /^db\d+$/.test(name) ? Number(new RegExp(`\\b${field}=(\\d+)`).exec(value)?.[1] ?? 0) : 0,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
