import { z } from "zod";
import { AVAILABILITY, ENDPOINT, LEADER_CHECK, PROXY } from "../records/endpoints.ts";
import { route, withQuery } from "../route.ts";

const LAG = { extend_check: "only refused: replication between clusters is not measured" };

/** Where clients reach databases, and whether they do. */
export const endpointRoutes = {
  proxies: route("GET", "/v1/proxies", "view_all_proxies_info", "the proxy of each node", z.array(PROXY)),
  proxy: route("GET", "/v1/proxies/:uid", "view_all_proxies_info", "the proxy of one node", PROXY),
  endpoints: route("GET", "/v1/endpoints", "view_all_bdbs_info", "the endpoints of every database", z.array(ENDPOINT)),
  endpoint: route("GET", "/v1/endpoints/:uid", "view_all_bdbs_info", "one endpoint", ENDPOINT),
  bdbEndpoints: route(
    "GET",
    "/v1/bdbs/:uid/endpoints",
    "view_all_bdbs_info",
    "the endpoints of a database",
    z.array(ENDPOINT),
  ),
  bdbAvailability: withQuery(
    route(
      "GET",
      "/v1/bdbs/:uid/availability",
      "view_bdb_info",
      "200 while the primary of the database serves and a node accepts clients, else 503 with the reason",
      AVAILABILITY,
    ),
    LAG,
  ),
  localAvailability: withQuery(
    route(
      "GET",
      "/v1/local/bdbs/:uid/endpoint/availability",
      "view_bdb_info",
      "the same for the endpoint of the node that is asked, for load balancers",
      AVAILABILITY,
    ),
    LAG,
  ),
  leaderCheck: route(
    "GET",
    "/v1/local/node/master_healthcheck",
    "view_cluster_info",
    "whether the node that is asked leads the cluster",
    LEADER_CHECK,
  ),
} as const;
