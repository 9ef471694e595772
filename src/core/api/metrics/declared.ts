import { HOLD_BOUNDS, REQUEST_BOUNDS, REVIEW_BOUNDS } from "./bounds.ts";

/** A metric as docs/metrics.md names it. */
export interface DeclaredMetric {
  /** Which page has it: that of the operator, or that of each node. */
  readonly of: "operator" | "node";
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  /** One sentence without its full stop. */
  readonly help: string;
  /** Of a histogram. */
  readonly bounds?: readonly number[];
}

const BACKUP = ["database_namespace", "database"] as const;

const OPERATOR = {
  store_operator_info: gauge("operator", ["release"], "Always 1; the release of the operator"),
  store_operator_leading: gauge("operator", [], "1 while this operator leads, and 0 while it waits for its turn"),
  store_operator_missing_permissions: gauge("operator", [], "Verbs that the Role of the operator lacks"),
  store_operator_passes_total: counter("operator", ["controller"], "Passes of a controller over an object"),
  store_operator_pass_failures_total: counter("operator", ["controller"], "Passes that have failed and are repeated"),
  store_operator_pass_seconds_total: counter("operator", ["controller"], "Time that these passes took"),
  store_backup_age_seconds: gauge(
    "operator",
    BACKUP,
    "Age of the newest backup of a database that can be restored; without one, the time since the first schedule of it was made",
  ),
  store_backup_wanted_age_seconds: gauge(
    "operator",
    [...BACKUP, "schedule"],
    "How old that backup may be by a schedule",
  ),
  store_webhook_reviews_total: counter("operator", ["kind", "outcome"], "Objects that the webhook has looked at"),
  store_webhook_review_seconds: histogram(
    "operator",
    [],
    "From a question of the API server to its answer",
    REVIEW_BOUNDS,
  ),
  store_webhook_distrust_total: counter("operator", [], "Callers that did not trust the certificate of the webhook"),
  store_webhook_certificate_expiry_seconds: gauge("operator", [], "Unix time at which that certificate ends"),
} as const;

const DATABASE = ["bdb", "database"] as const;
const SHARD = [...DATABASE, "shard", "role"] as const;
const SITE = [...DATABASE, "site"] as const;

const NODE = {
  store_node_info: gauge("node", ["node", "release"], "Always 1; uid and release of the node"),
  store_node_leading: gauge("node", [], "1 on the node that leads the cluster, as far as it knows"),
  store_proxy_up: gauge(
    "node",
    [],
    "1 while the proxy of the node answers; without it the node has no `store_endpoint_` metric",
  ),
  store_endpoint_listening: gauge("node", DATABASE, "1 while the endpoint accepts clients"),
  store_endpoint_held: gauge("node", DATABASE, "1 while its clients are held"),
  store_endpoint_connections: gauge("node", DATABASE, "Clients that are connected"),
  store_endpoint_own_connections: gauge(
    "node",
    DATABASE,
    "Connections to the engine that clients have for themselves, as in a transaction",
  ),
  store_endpoint_in_flight: gauge("node", DATABASE, "Requests at the engine that have no reply"),
  store_endpoint_requests_total: counter("node", DATABASE, "Requests of clients"),
  store_endpoint_received_bytes_total: counter("node", DATABASE, "Bytes from clients, without TLS"),
  store_endpoint_sent_bytes_total: counter("node", DATABASE, "Bytes to clients, without TLS"),
  store_endpoint_errors_total: counter("node", DATABASE, "Replies that are errors"),
  store_endpoint_cut_total: counter(
    "node",
    DATABASE,
    "Connections of clients that were ended because a limit was passed, or the outcome of a request is not known",
  ),
  store_endpoint_resent_total: counter("node", DATABASE, "Requests that one engine refused and that were sent again"),
  store_endpoint_multi_slot_requests_total: counter(
    "node",
    [...DATABASE, "command"],
    "Requests whose keys lie in several slots, where a database with several shards needs one; `MULTI` counts transactions. DEL, EXISTS, MGET, MSET, TOUCH and UNLINK are not counted: shards answer parts of them",
  ),
  store_endpoint_moved_total: counter(
    "node",
    DATABASE,
    "Requests of libraries in cluster mode that were answered with `MOVED`, since another node serves their slots now",
  ),
  store_endpoint_forwarded_total: counter(
    "node",
    DATABASE,
    "Requests of libraries in cluster mode for an engine at another node: they have an old map, or read from replicas",
  ),
  store_endpoint_holds_expired_total: counter("node", DATABASE, "Holds that ended at their own deadline"),
  store_endpoint_moves_total: counter(
    "node",
    [...DATABASE, "kind"],
    "Changes of primary: `switchover` with held clients, `failover` without",
  ),
  store_endpoint_request_seconds: histogram(
    "node",
    [...DATABASE, "held"],
    "How long a request took. `no`: from when it was sent to the engine. `yes`: it had to wait for a primary, and counts from when it arrived",
    REQUEST_BOUNDS,
  ),
  store_endpoint_hold_seconds: histogram(
    "node",
    [...DATABASE, "cause"],
    "How long clients were held. `switchover`: for a change of primary. `outage`: until a primary could be reached again",
    HOLD_BOUNDS,
  ),
  store_shard_memory_bytes: gauge("node", SHARD, "Memory that the engine has taken for data"),
  store_shard_resident_bytes: gauge("node", SHARD, "Memory of its process"),
  store_shard_limit_bytes: gauge("node", SHARD, "What its data may take"),
  store_shard_keys: gauge("node", SHARD, "Keys of the engine"),
  store_shard_requests_per_second: gauge(
    "node",
    SHARD,
    "Requests a second that the engine has executed lately, by its own count, those of nodes too",
  ),
  store_reshape_seconds: gauge(
    "node",
    DATABASE,
    "How long the present attempt to make another number of shards has taken; shown by the node that copies, absent while none is made",
  ),
  store_reshape_attempt: gauge("node", DATABASE, "The number of that attempt: above 1 copying has failed before"),
  store_reshape_copied_keys: gauge("node", DATABASE, "Keys that it has copied"),
  store_reshape_copied_bytes: gauge("node", DATABASE, "Bytes of keys that the new shards have got"),
  store_link_up: gauge("node", SITE, "1 while the writes of that site of an Active-Active database arrive here"),
  store_link_lag_seconds: gauge("node", SITE, "Age of its newest write when it was applied here"),
  store_link_unconfirmed_operations: gauge("node", SITE, "Writes of this site that the other one has not said to have"),
  store_link_received_bytes_total: counter("node", SITE, "Bytes from the other site, compressed as they come"),
  store_link_sent_bytes_total: counter("node", SITE, "Bytes to the other site, compressed as they go"),
  store_link_compared: gauge("node", SITE, "1 while all keys are compared with those of that site"),
  store_link_differing_keys: gauge("node", SITE, "Keys that were found to differ, and were not the same since"),
  store_link_differences_total: counter("node", SITE, "Keys that were found to differ; sites bring them together"),
} as const;

/** Every metric that the product shows; nothing else can be shown. */
export const METRICS = { ...OPERATOR, ...NODE } as const;

export type MetricName = keyof typeof METRICS;

function gauge<const Of extends DeclaredMetric["of"], const Labels extends readonly string[]>(
  of: Of,
  labels: Labels,
  help: string,
) {
  return { of, type: "gauge", labels, help } as const;
}

function counter<const Of extends DeclaredMetric["of"], const Labels extends readonly string[]>(
  of: Of,
  labels: Labels,
  help: string,
) {
  return { of, type: "counter", labels, help } as const;
}

function histogram<const Of extends DeclaredMetric["of"], const Labels extends readonly string[]>(
  of: Of,
  labels: Labels,
  help: string,
  bounds: readonly number[],
) {
  return { of, type: "histogram", labels, help, bounds } as const;
}
