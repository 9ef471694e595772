import { z } from "zod";
import { CLUSTER_STATS, LAST_STATS, MEASUREMENTS, STATS } from "../records/stats.ts";
import { route, withQuery } from "../route.ts";

const INTERVAL = { interval: "`1sec`, the only one: what is measured at the moment of the request" };
const list = z.array(STATS);

/** Measurements of cluster, nodes, databases and shards. */
export const statsRoutes = {
  metrics: route(
    "GET",
    "/metrics",
    "view_all_bdb_stats",
    "measurements of this node for Prometheus: docs/metrics.md",
    "text",
  ),
  clusterStats: statsRoute(
    "/v1/cluster/stats",
    "view_cluster_stats",
    "measurements of all nodes together",
    CLUSTER_STATS,
  ),
  clusterStatsLast: statsRoute("/v1/cluster/stats/last", "view_cluster_stats", "the same as one object", MEASUREMENTS),
  nodesStats: statsRoute("/v1/nodes/stats", "view_all_nodes_stats", "measurements of every node that answers", list),
  nodesStatsLast: statsRoute("/v1/nodes/stats/last", "view_all_nodes_stats", "the same by uid", LAST_STATS),
  nodeStats: statsRoute("/v1/nodes/stats/:uid", "view_all_nodes_stats", "measurements of one node", STATS),
  nodeStatsLast: statsRoute("/v1/nodes/stats/last/:uid", "view_all_nodes_stats", "the same by uid", LAST_STATS),
  bdbsStats: statsRoute("/v1/bdbs/stats", "view_all_bdb_stats", "measurements of every database", list),
  bdbsStatsLast: statsRoute("/v1/bdbs/stats/last", "view_all_bdb_stats", "the same by uid", LAST_STATS),
  bdbStats: statsRoute("/v1/bdbs/stats/:uid", "view_all_bdb_stats", "measurements of one database", STATS),
  bdbStatsLast: statsRoute("/v1/bdbs/stats/last/:uid", "view_all_bdb_stats", "the same by uid", LAST_STATS),
  shardsStats: statsRoute("/v1/shards/stats", "view_all_shard_stats", "measurements of every shard that answers", list),
  shardsStatsLast: statsRoute("/v1/shards/stats/last", "view_all_shard_stats", "the same by uid", LAST_STATS),
  shardStats: statsRoute("/v1/shards/stats/:uid", "view_all_shard_stats", "measurements of one shard", STATS),
  shardStatsLast: statsRoute("/v1/shards/stats/last/:uid", "view_all_shard_stats", "the same by uid", LAST_STATS),
} as const;

type Viewing = "view_cluster_stats" | "view_all_nodes_stats" | "view_all_bdb_stats" | "view_all_shard_stats";

function statsRoute<const Path extends string, const Gives extends z.ZodType>(
  path: Path,
  auth: Viewing,
  why: string,
  gives: Gives,
) {
  return withQuery(route("GET", path, auth, why, gives), INTERVAL);
}
