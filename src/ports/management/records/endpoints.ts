import { z } from "zod";
import type { Answered } from "./answered.ts";

const FIELDS = {
  uid: z.string(),
  dns_name: z.string(),
  port: z.int().positive(),
  addr: z.array(z.string()).describe("Of the nodes that accept clients, by the policy."),
  proxy_policy: z
    .enum(["single", "all-master-shards", "all-nodes"])
    .exactOptional()
    .describe("Which nodes `addr` has; absent from nodes of older releases. Every node serves every database."),
};

/** The endpoint of a database inside of it. */
export const BDB_ENDPOINT = z.strictObject(FIELDS);

/** `GET /v1/endpoints`. */
export const ENDPOINT = z.strictObject({ ...FIELDS, bdb_uid: z.int().positive() }).meta({ id: "Endpoint" });

export type EndpointRecord = Answered<typeof ENDPOINT>;

/** `GET /v1/proxies`: one on each node, with the uid of the node. */
export const PROXY = z
  .strictObject({
    uid: z.int().positive(),
    node_uid: z.int().positive(),
    addr: z.string(),
    status: z.enum(["active", "inactive"]).describe("`active` while it accepts clients."),
  })
  .meta({ id: "Proxy" });

export type ProxyRecord = Answered<typeof PROXY>;

/** Answer of a check of availability; a database that is not available answers 503 instead. */
export const AVAILABILITY = z.strictObject({ status: z.literal("available") }).meta({ id: "Availability" });

/** `GET /v1/local/node/master_healthcheck`. */
export const LEADER_CHECK = z
  .strictObject({ status: z.enum(["active", "inactive"]).describe("`active` on the node that leads.") })
  .meta({ id: "LeaderCheck" });
