import type { BdbRecord, ShardInstanceRecord } from "../../../ports/management/records.ts";
import { bytesText } from "../console/units.ts";
import { textTable } from "../console/output.ts";

/** What the engine of a primary measures of itself: bytes, and requests a second; NaN while it does not answer. */
interface Measured {
  readonly keys: number;
  readonly memory: number;
  readonly limit: number;
  readonly requests: number;
}

/** A shard as users see it: its primary with its replicas. */
export interface ShownShard extends Measured {
  readonly database: string;
  readonly shard: number;
  readonly slots: string;
  readonly status: string;
  readonly version: string;
  readonly primary: number;
  readonly replicas: readonly number[];
  /** NaN where the node does not say it. */
  readonly epoch: number;
}

/** Measurements by the uid of an engine, as `GET /v1/shards/stats/last` gives them. */
export type MeasurementsByUid = Readonly<Record<string, Readonly<Record<string, number | string>>>>;

/** The shards of some databases, each in the order of its slots. */
export function shownShards(
  bdbs: readonly Pick<BdbRecord, "uid" | "name">[],
  engines: readonly ShardInstanceRecord[],
  measured: MeasurementsByUid,
): readonly ShownShard[] {
  return bdbs.flatMap(({ uid, name }) => {
    const own = engines.filter(({ bdb_uid }) => bdb_uid === uid);
    return own
      .filter(({ role }) => role === "master")
      .toSorted((one, other) => Number.parseInt(one.assigned_slots, 10) - Number.parseInt(other.assigned_slots, 10))
      .map((primary) => {
        const replicas = own.filter(
          ({ role, assigned_slots }) => role === "slave" && assigned_slots === primary.assigned_slots,
        );
        return { database: name, ...shownShard(primary, replicas), ...measuredOf(measured[primary.uid] ?? {}) };
      });
  });
}

function shownShard(primary: ShardInstanceRecord, replicas: readonly ShardInstanceRecord[]) {
  // a node of a release before 0.6.0 names neither
  const { shard = 1, epoch = Number.NaN, assigned_slots: slots, redis_version: version, node_uid } = primary;
  const behind = replicas.filter(({ status, in_sync }) => status !== "active" || !in_sync).length;
  const state = primary.status === "active" ? "active" : primary.detailed_status;
  return {
    shard,
    slots,
    status: behind === 0 ? state : `${state}, ${behind} of ${replicas.length} replicas behind`,
    version,
    primary: Number(node_uid),
    replicas: replicas.map((replica) => Number(replica.node_uid)),
    epoch,
  };
}

function measuredOf(measured: Readonly<Record<string, number | string>>): Measured {
  const value = (name: string): number => Number(measured[name] ?? Number.NaN);
  return {
    keys: value("no_of_keys"),
    memory: value("used_memory"),
    limit: value("memory_limit"),
    requests: value("total_req"),
  };
}

const HEADING = [
  "DATABASE",
  "SHARD",
  "SLOTS",
  "STATUS",
  "VERSION",
  "PRIMARY",
  "REPLICAS",
  "MOVES",
  "KEYS",
  "MEMORY",
  "LIMIT",
  "REQUESTS/S",
];

/** One row for each shard, and one line for each database that has several: how evenly they are used. */
export function shardsTable(shards: readonly ShownShard[], columns: number): string {
  if (shards.length === 0) return "no shards\n";
  const rows = shards.map((one) => [
    one.database,
    String(one.shard),
    one.slots,
    one.status,
    one.version,
    `node ${one.primary}`,
    one.replicas.map((node) => `node ${node}`).join(", ") || "-",
    numberText(one.epoch - 1),
    numberText(one.keys),
    memoryText(one.memory),
    memoryText(one.limit),
    numberText(one.requests),
  ]);
  const lines = [...Map.groupBy(shards, ({ database }) => database)].flatMap(([database, own]) =>
    skewLine(database, own),
  );
  return `${textTable(HEADING, rows, columns)}${lines.length === 0 ? "" : `\n${lines.join("\n")}\n`}`;
}

function numberText(value: number): string {
  return Number.isNaN(value) ? "-" : String(value);
}

function memoryText(bytes: number): string {
  return Number.isNaN(bytes) ? "-" : bytesText(bytes);
}

/** Which shard has most of what, compared with the mean of all; nothing for one shard, and while one does not answer. */
function skewLine(database: string, shards: readonly ShownShard[]): readonly string[] {
  if (shards.length === 1) return [];
  const parts = (["keys", "memory", "requests"] as const).flatMap((name) => {
    const values = shards.map((shard) => shard[name]);
    const mean = values.reduce((sum, value) => sum + value, 0) / shards.length;
    const most = shards.toSorted((one, other) => other[name] - one[name])[0];
    if (most === undefined || !(mean > 0)) return [];
    return [`shard ${most.shard} has ${(most[name] / mean).toFixed(2)} x the mean of ${name}`];
  });
  return parts.length === 0 ? [] : [`${database}: ${parts.join(", ")}`];
}
