import { METRICS, type DeclaredMetric } from "../src/core/api/metrics/declared.ts";

/** docs/metrics.md: every metric, from the table by which they are shown. */
export function metricsPage(): string {
  return `# Metrics

This page lists every metric and says how to collect them. It is generated from \`src/core/api/metrics/declared.ts\` by \`npm run generate\`; a metric
that is not in it cannot be shown. All are in the text format of Prometheus and are measured when Prometheus asks. Counters begin anew when their
process restarts, those of endpoints when the agent of the node restarts.

## Where they are

| Page | Who may read it | Of |
|---|---|---|
| \`https://<node>:9443/metrics\` | users of the cluster whose role has the permission \`view_all_bdb_stats\`; \`db_viewer\` is the least | that node: its endpoints, engines and links |
| \`http://<operator>:8080/metrics\` | everything that reaches the port | the operator and its webhook |

Scrape all nodes of a cluster, because each node shows only its own numbers. The sum over nodes is the value of the database, except for
\`store_endpoint_moves_total\`, \`store_endpoint_held\` and \`store_endpoint_hold_seconds\`: every node counts each change of primary, so take the
\`max\`. [\`/v1/bdbs/stats\` and \`/v1/nodes/stats\`](management-api.md#measurements) have the same numbers, added up. Nodes of releases before 0.4.0
have no page: they answer 404.

## Set it up

Names of databases, rates and failures are not public. Therefore the page of a node is on the port of the management API, and needs TLS, a password
and a NetworkPolicy. Give Prometheus a user of its own, who may only read:

\`\`\`sh
password=$(openssl rand -hex 16)
kubectl create secret generic rec-metrics --from-literal=username=prometheus@example.com "--from-literal=password=$password"
api /v1/users -H 'Content-Type: application/json' \\
  -d '{"email":"prometheus@example.com","role":"db_viewer","password":"'$password'"}'
\`\`\`

\`api\` calls the management API as its administrator ([operations](operations.md#look-inside)). With the operator of Prometheus, look at the names of cluster, namespaces and
Secret in these files, and apply them:

\`\`\`sh
kubectl apply -f deploy/monitoring/pod-monitor.yaml
kubectl apply -f deploy/monitoring/alerts.yaml
\`\`\`

\`pod-monitor.yaml\` has two PodMonitors and the NetworkPolicy that lets Prometheus reach the nodes; \`alerts.yaml\` is a PrometheusRule. Import
\`dashboard.json\` into Grafana. The operator of Prometheus reads \`ca.crt\` of the Secret \`rec-node-tls\`, which also has the key of the nodes. If
it must not read that, copy \`ca.crt\` into a ConfigMap, and again when the authority changes.

Without the operator of Prometheus, use this configuration:

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

**What \`store_endpoint_request_seconds\` counts.** Requests that a client sends together are counted together, with the time of the last of them: the
endpoint reads the clock when it sends and when replies arrive, not for each request. It does not count commands that wait for others (\`BLPOP\` and
such), requests of several MiB, scans, and requests that it answers itself. With \`durability: sync\` the time includes the wait for replicas.

**What it costs.** Counting has no measurable cost per request
([benchmarks.md](benchmarks.md#the-proxy-beside-the-engine-itself-haproxy-and-twemproxy)). The page of a node with 500 endpoints has 3.7 MB and takes
its agent 30 ms to write. For each page the agent asks each engine of the node once: with hundreds of databases, scrape every 30 s.

## Operator

${tableOf("operator")}

## What it looks like

In this example Prometheus 2.42 scraped the two nodes of a cluster every second while one client wrote to the database \`orders\`. Node 1 went into
maintenance, so the primary moved to node 2. The page of node 2, without the buckets, had:

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
