import { METRICS, type DeclaredMetric } from "../src/core/api/metrics/declared.ts";

/** docs/metrics.md: every metric, from the table by which they are shown. */
export function metricsPage(): string {
  return `# Metrics

Generated from \`src/core/api/metrics/declared.ts\` by \`npm run generate\`; a metric that is not in this table cannot be shown. All are in the text format of
Prometheus. They are read when they are asked for: nothing runs for them in between, and counters begin anew when their process does,
those of endpoints when the agent of the node does.

## Where they are

| Page | Who may read it | Of |
|---|---|---|
| \`https://<node>:9443/metrics\` | users of the cluster whose role has the permission \`view_all_bdb_stats\`; \`db_viewer\` is the least | that node: its endpoints, engines and links |
| \`http://<operator>:8080/metrics\` | everything that reaches the port | the operator and its webhook |

Each node tells of itself alone, so that all nodes of a cluster are to be scraped. Sums over nodes are those of the database, but for \`store_endpoint_moves_total\`,
\`store_endpoint_held\` and \`store_endpoint_hold_seconds\`: every node goes through each change of primary, so take the \`max\`. The same numbers are in
[\`/v1/bdbs/stats\` and \`/v1/nodes/stats\`](management-api.md#measurements), added up. Nodes of releases before 0.4.0 have no page: they answer 404.

## Set it up

The page of a node is on the port of the management API, because names of databases, rates and failures are not for everything that reaches a port: it needs TLS, a
password and a NetworkPolicy as everything there does. Give Prometheus a user of its own, who may read and nothing else:

\`\`\`sh
kubectl create secret generic rec-metrics --from-literal=username=prometheus@example.com --from-literal=password=<password>
# at a node, as the administrator: docs/operations.md
curl ... -X POST -H 'content-type: application/json' https://rec.default.svc.cluster.local:9443/v1/users \\
  -d '{"email":"prometheus@example.com","role":"db_viewer","password":"<password>"}'
kubectl apply -f deploy/monitoring/pod-monitor.yaml   # after a look: names of cluster, namespaces and Secret
kubectl apply -f deploy/monitoring/alerts.yaml
\`\`\`

\`pod-monitor.yaml\` has two PodMonitors and the NetworkPolicy that lets Prometheus reach the nodes; \`alerts.yaml\` is a PrometheusRule, and
\`dashboard.json\` is imported into Grafana. The operator of Prometheus reads \`ca.crt\` of the Secret \`rec-node-tls\`, which has the key of the nodes too. Where
it must not, copy \`ca.crt\` into a ConfigMap, and again when the authority changes.

Without the operator of Prometheus:

\`\`\`yaml
scrape_configs:
  - job_name: store-enterprise
    scheme: https
    basic_auth: { username: prometheus@example.com, password_file: /etc/prometheus/rec-password }
    tls_config: { ca_file: /etc/prometheus/rec-ca.crt, server_name: rec.default.svc.cluster.local }
    kubernetes_sd_configs: [{ role: pod }]
    relabel_configs:
      - { source_labels: [__meta_kubernetes_pod_label_storeenterprise_io_role], regex: node, action: keep }
      - { source_labels: [__meta_kubernetes_pod_container_port_name], regex: api, action: keep }
\`\`\`

## Nodes

${tableOf("node")}

\`bdb\` is the uid of the database, \`database\` its name. \`shard\` is the uid of an engine, \`role\` is \`primary\` or \`replica\`, and \`site\` the remote cluster.

**What \`store_endpoint_request_seconds\` counts.** Requests that a client sends together are counted together, with the time of the last of them: the endpoint looks
at the clock when it sends and when replies come, and not for each request. Not counted are commands that wait for others (\`BLPOP\` and such), requests of several
MiB, scans, and what the endpoint answers itself. With \`durability: sync\` the wait for replicas is part of it.

**What it costs.** Counting is lost in the noise of a request ([benchmarks.md](benchmarks.md#the-proxy-beside-the-engine-itself-haproxy-and-twemproxy)). The page of a node with 500 endpoints has 3.7 MB, takes its agent 30 ms to
write, and each engine of the node is asked once: with hundreds of databases, scrape each 30 s.

## Operator

${tableOf("operator")}

## What it looks like

Prometheus 2.42 scraped the two nodes of a cluster each second while one client wrote to the database \`orders\`, and node 1 went into maintenance, so that the primary
moved to node 2. From the page of node 2, without the buckets:

\`\`\`
${SCRAPED}
\`\`\`

| Asked of Prometheus | Answer |
|---|---|
| \`sum by (database) (rate(store_endpoint_requests_total[5s]))\` | \`orders\`: 2,368 a second |
| \`histogram_quantile(0.99, sum by (le, held) (rate(store_endpoint_request_seconds_bucket[10s])))\` | \`held="no"\`: 0.9 ms |
| \`store_endpoint_hold_seconds_sum / store_endpoint_hold_seconds_count\` | \`cause="switchover"\`: 12.7 ms at node 1, 12.8 ms at node 2 |
`;
}

function tableOf(page: DeclaredMetric["of"]): string {
  const rows = Object.entries(METRICS)
    .filter(([, { of }]) => of === page)
    .map(
      ([name, { type, labels, help }]) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`,
    );
  return `| Name | Type | Labels | What |\n|---|---|---|---|\n${rows.join("\n")}`;
}

const SCRAPED = `store_node_info{node="2",release="8.2.0-12"} 1
store_node_leading 1
store_proxy_up 1
store_endpoint_connections{bdb="1",database="orders"} 1
store_endpoint_requests_total{bdb="1",database="orders"} 34543
store_endpoint_received_bytes_total{bdb="1",database="orders"} 2414160
store_endpoint_sent_bytes_total{bdb="1",database="orders"} 172715
store_endpoint_errors_total{bdb="1",database="orders"} 0
store_endpoint_moves_total{bdb="1",database="orders",kind="switchover"} 1
store_endpoint_moves_total{bdb="1",database="orders",kind="failover"} 0
store_endpoint_request_seconds_sum{bdb="1",database="orders",held="no"} 3.2368397039998262
store_endpoint_request_seconds_count{bdb="1",database="orders",held="no"} 34542
store_endpoint_request_seconds_sum{bdb="1",database="orders",held="yes"} 0.015592273000000205
store_endpoint_request_seconds_count{bdb="1",database="orders",held="yes"} 1
store_endpoint_hold_seconds_sum{bdb="1",database="orders",cause="switchover"} 0.01273364600000059
store_endpoint_hold_seconds_count{bdb="1",database="orders",cause="switchover"} 1
store_shard_memory_bytes{bdb="1",database="orders",shard="3",role="primary"} 3530168
store_shard_limit_bytes{bdb="1",database="orders",shard="3",role="primary"} 20000000
store_shard_keys{bdb="1",database="orders",shard="3",role="primary"} 1000`;
