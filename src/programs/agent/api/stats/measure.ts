import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { shardUid } from "../../../../core/api/shard-uid.ts";
import { largestOn } from "../../../../core/planner/database/placement.ts";
import type { Records } from "../../records/records.ts";
import { placedInstances } from "../../../../core/records/placed-instances.ts";
import { endpointCounters, measureEngines } from "../../observation/measurements.ts";
import type { CountersContext, MeasuringContext } from "../../observation/measurements.ts";
import { ENDPOINT_METRICS, endpointMetrics, NO_ENDPOINT } from "./endpoint-numbers.ts";
import { type MetricValues, shardMetrics, sumOf } from "./metrics.ts";

/** What measurements are taken from. */
export type StatsContext = MeasuringContext &
  CountersContext & { readonly records: Pick<Records, "databases">; readonly members: CountersContext["members"] };

/** The metrics of one object. */
export interface Measured {
  readonly uid: string;
  readonly metrics: MetricValues;
}

/** Every shard whose engine answers. */
export async function measureShards(context: StatsContext): Promise<readonly Measured[]> {
  const all = await Promise.all(context.records.databases().map((record) => shardsOf(context, record)));
  return all.flat().map(({ uid, metrics }) => ({ uid, metrics }));
}

/** Every database: what the endpoints of all nodes count, memory of all its shards, the rest of its primaries. */
export async function measureDatabases(context: StatsContext): Promise<readonly Measured[]> {
  const counters = [...(await endpointCounters(context)).values()].flat();
  const measure = async (record: DatabaseRecord): Promise<Measured> => {
    const shards = await shardsOf(context, record);
    const primaries = shards.filter(({ isPrimary }) => isPrimary).map(({ metrics }) => metrics);
    const { total_req: rate, ...ofPrimaries } = sumOf(primaries, OF_PRIMARIES);
    const metrics = {
      ...ofPrimaries,
      ...(rate === undefined ? {} : { instantaneous_ops_per_sec: rate }),
      ...sumOf(
        shards.map((shard) => shard.metrics),
        ["used_memory", "mem_size_lua"],
      ),
      ...sumOf(counters.filter(({ bdb }) => bdb === record.uid).map(endpointMetrics), ENDPOINT_METRICS),
    };
    return { uid: String(record.uid), metrics };
  };
  return Promise.all(context.records.databases().map(measure));
}

const OF_PRIMARIES = ["total_req", "no_of_keys", "no_of_expires", "pubsub_channels", "pubsub_patterns"];

/** Every node whose proxy answers: what its endpoints count, and the memory in bytes that one more database could have there. */
export async function measureNodes(context: StatsContext): Promise<readonly Measured[]> {
  const { members, records } = context;
  const counters = await endpointCounters(context);
  const placed = placedInstances(records.databases());
  return members.list().flatMap(({ uid, report }) => {
    const endpoints = counters.get(uid);
    if (endpoints === undefined) return [];
    const ofEndpoints = sumOf([NO_ENDPOINT, ...endpoints.map(endpointMetrics)], ENDPOINT_METRICS);
    const { memoryBytes, container } = report;
    const most = largestOn({ uid, memoryBytes, ...(container === undefined ? {} : { container }) }, placed);
    return [{ uid: String(uid), metrics: { ...ofEndpoints, provisional_memory: most } }];
  });
}

/** Every shard of a database whose engine answers, on one node or on all. */
export async function shardsOf(
  context: MeasuringContext,
  record: DatabaseRecord,
  onlyNode?: number,
): Promise<readonly (Measured & { readonly isPrimary: boolean })[]> {
  const primaries = record.shards.map(({ primary }) => primary);
  const measured = await measureEngines(context, record, onlyNode);
  return [...measured].map(([id, info]) => ({
    uid: String(shardUid(record.uid, id)),
    metrics: shardMetrics(info),
    isPrimary: primaries.includes(id),
  }));
}
