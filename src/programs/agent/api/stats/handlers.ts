import { shardUid } from "../../../../core/api/shard-uid.ts";
import type { Clock } from "#kit/base/clock";
import type { LastStatsRecord, MetricsRecord, StatsRecord } from "../../../../ports/management/records.ts";
import type { Handlers } from "../http/handler-call.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { type Measured, measureDatabases, measureNodes, measureShards, type StatsContext } from "./measure.ts";
import { ENDPOINT_METRICS } from "./endpoint-numbers.ts";
import { type MetricValues, sumOf } from "./metrics.ts";

type StatsRoutes = Extract<keyof Handlers, `${string}Stats` | `${string}StatsLast`>;

interface StatsCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** Measurements, taken at the moment of the request. */
export function statsHandlers(context: StatsContext & { readonly clock: Clock }): Pick<Handlers, StatsRoutes> {
  const { clock, members, records } = context;
  const cluster = async ({ query }: StatsCall): Promise<MetricsRecord> => {
    requireMoment(query);
    const nodes = await measureNodes(context);
    const all = nodes.map(({ metrics }) => metrics);
    return interval(clock.now(), sumOf(all, [...ENDPOINT_METRICS, "provisional_memory"]));
  };
  const nodes = answers(
    clock,
    "node",
    () => measureNodes(context),
    () => members.list().map(({ uid }) => uid),
  );
  const bdbs = answers(
    clock,
    "database",
    () => measureDatabases(context),
    () => records.databases().map(({ uid }) => uid),
  );
  const shards = answersOfShards(context);
  return {
    clusterStats: async (call) => ({ intervals: [await cluster(call)] }),
    clusterStatsLast: cluster,
    nodesStats: nodes.all,
    nodesStatsLast: nodes.allLast,
    nodeStats: nodes.one,
    nodeStatsLast: nodes.oneLast,
    bdbsStats: bdbs.all,
    bdbsStatsLast: bdbs.allLast,
    bdbStats: bdbs.one,
    bdbStatsLast: bdbs.oneLast,
    shardsStats: shards.all,
    shardsStatsLast: shards.allLast,
    shardStats: shards.one,
    shardStatsLast: shards.oneLast,
  };
}

function answersOfShards(context: StatsContext & { readonly clock: Clock }): ReturnType<typeof answers> {
  const { clock, records } = context;
  return answers(
    clock,
    "shard",
    () => measureShards(context),
    () =>
      records
        .databases()
        .flatMap(({ uid, shards: all }) =>
          all.flatMap(({ instances }) => instances.map(({ id }) => shardUid(uid, id))),
        ),
  );
}

/** The four answers about objects of one kind; an object that does not answer has no interval. */
function answers(
  clock: Clock,
  kind: "node" | "database" | "shard",
  measure: () => Promise<readonly Measured[]>,
  known: () => readonly number[],
) {
  const all = async ({ query }: StatsCall): Promise<readonly StatsRecord[]> => {
    requireMoment(query);
    const measured = await measure();
    const now = clock.now();
    return measured.map(({ uid, metrics }) => ({ uid, intervals: [interval(now, metrics)] }));
  };
  const one = async (call: StatsCall): Promise<StatsRecord> => {
    const { uid = "" } = call.params;
    if (!known().some((each) => String(each) === uid)) throw refuse(MISSING[kind], `there is no ${kind} ${uid}`);
    return (await all(call)).find((stats) => stats.uid === uid) ?? { uid, intervals: [] };
  };
  const last = (stats: readonly StatsRecord[]): LastStatsRecord =>
    Object.fromEntries(stats.flatMap(({ uid, intervals }) => intervals.map((each) => [uid, each])));
  return {
    all,
    one,
    allLast: async (call: StatsCall) => last(await all(call)),
    oneLast: async (call: StatsCall) => last([await one(call)]),
  };
}

const MISSING = {
  node: refusals.noSuchNode,
  database: refusals.noSuchDatabase,
  shard: refusals.noSuchShard,
} as const;

function interval(now: Date, metrics: MetricValues): MetricsRecord {
  const moment = { interval: "1sec", stime: new Date(now.getTime() - 1_000).toISOString(), etime: now.toISOString() };
  return { ...metrics, ...moment } as MetricsRecord; // metrics are numbers, and none is named as these
}

function requireMoment({ interval: asked }: Readonly<Record<string, string>>): void {
  if (asked === undefined || asked === "1sec") return;
  throw refuse(
    refusals.notOffered,
    `interval=${asked} is not offered: no history is kept; leave it out, or ask for 1sec`,
  );
}
