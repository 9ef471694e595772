import { exposition, type Samples } from "../../../../core/api/metrics/exposition.ts";
import { siteNumber } from "../../../../core/planner/active-active/numbers.ts";
import { recordOf } from "../../../../core/planner/active-active/record.ts";
import type { Clock } from "#kit/base/clock";
import type { SiteLinkStatus } from "../../../../ports/management/link-control.ts";
import type { LeaderElection } from "../../members/leader-election.ts";
import type { NodeLink } from "../../node/link.ts";
import type { NodeMovers } from "../../node/movers.ts";
import { ownCounters } from "../../observation/measurements.ts";
import type { CountersContext, MeasuringContext } from "../../observation/measurements.ts";
import type { Records } from "../../records/records.ts";
import type { AgentConfig } from "../../runtime/config.ts";
import { joinedSlices, slicesOfSite } from "../databases/link-slices.ts";
import { endpointSamples, databaseLabels } from "./endpoint-samples.ts";
import { shardsOf } from "./measure.ts";
import { reshapeSamples } from "./reshape-samples.ts";

/** What the metrics of a node are read from. */
export type NodeMetricsContext = MeasuringContext &
  Pick<CountersContext, "sendToProxy"> & {
    readonly config: Pick<AgentConfig, "release">;
    readonly records: Pick<Records, "databases" | "state">;
    readonly election: Pick<LeaderElection, "isLeader">;
    readonly link: Pick<NodeLink, "status">;
    readonly movers: Pick<NodeMovers, "ask">;
    readonly clock: Pick<Clock, "now">;
  };

/** What this node counts and measures, at the moment of the call, for Prometheus; nothing of other nodes. */
export async function nodeMetrics(context: NodeMetricsContext): Promise<string> {
  const { config, election } = context;
  const { movers, clock, records } = context;
  const [endpoints, shards, links, reshapes] = await Promise.all([
    ownCounters(context),
    shardSamples(context),
    linkSamples(context),
    reshapeSamples({ node: config.node, databases: records.databases(), movers, clock }),
  ]);
  return exposition({
    store_node_info: [{ labels: { node: config.node, release: config.release.operator }, value: 1 }],
    store_node_leading: [{ labels: {}, value: election.isLeader() ? 1 : 0 }],
    store_proxy_up: [{ labels: {}, value: endpoints === undefined ? 0 : 1 }],
    ...endpointSamples(records.databases(), endpoints ?? []),
    ...shards,
    ...links,
    ...reshapes,
  });
}

async function shardSamples(context: NodeMetricsContext): Promise<Samples> {
  const measured = await Promise.all(
    context.records.databases().map(async (record) => {
      const shards = await shardsOf(context, record, context.config.node);
      return shards.map(({ uid, metrics, isPrimary }) => ({
        labels: { ...databaseLabels(record), shard: uid, role: isPrimary ? "primary" : "replica" },
        metrics,
      }));
    }),
  );
  const each = (metric: string) =>
    measured.flat().flatMap(({ labels, metrics }) => {
      const value = metrics[metric];
      return value === undefined ? [] : [{ labels, value }];
    });
  return {
    store_shard_memory_bytes: each("used_memory"),
    store_shard_resident_bytes: each("used_memory_rss"),
    store_shard_limit_bytes: each("memory_limit"),
    store_shard_keys: each("no_of_keys"),
    store_shard_requests_per_second: each("total_req"),
  };
}

/** The links beside the primaries of this node. */
async function linkSamples({ link, records }: NodeMetricsContext): Promise<Samples> {
  const activeActives = records.state()?.activeActives ?? [];
  const statuses = await link.status();
  const sliced = records
    .databases()
    .map(async (database) => ({ database, slices: await slicesOfSite(database, () => Promise.resolve(statuses)) }));
  const known = (await Promise.all(sliced)).flatMap(({ database, slices }) => {
    // the other slices have their primaries at other nodes
    const joined = joinedSlices(slices.filter(({ status }) => typeof status !== "string"));
    const record = recordOf(activeActives, database.activeActive?.guid ?? "");
    if (typeof joined === "string" || record === undefined) return [];
    return joined.sites.map((status) => {
      const name = record.participants.find((one) => siteNumber(record, one.name) === status.site)?.name;
      return { labels: { ...databaseLabels(database), site: name ?? String(status.site) }, status };
    });
  });
  const each = (value: (status: SiteLinkStatus) => number) =>
    known.map(({ labels, status }) => ({ labels, value: value(status) }));
  return {
    store_link_up: each(({ state }) => (state === "up" ? 1 : 0)),
    store_link_lag_seconds: each(({ lagMs }) => lagMs / 1000),
    store_link_unconfirmed_operations: each(({ unconfirmed }) => unconfirmed),
    store_link_received_bytes_total: each(({ receivedBytes }) => receivedBytes),
    store_link_sent_bytes_total: each(({ sentBytes }) => sentBytes),
    store_link_compared: each(({ agreement }) => (agreement?.cause === "" ? 1 : 0)),
    store_link_differing_keys: each(({ agreement }) => agreement?.differing ?? 0),
    store_link_differences_total: each(({ agreement }) => agreement?.found ?? 0),
  };
}
