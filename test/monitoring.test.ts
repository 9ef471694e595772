import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parse, parseAllDocuments, stringify } from "yaml";
import { PROMTOOL } from "../scripts/install/promtool.ts";
import { APP_LABEL, LABELS, PORTS } from "../src/core/api/names.ts";
import { METRICS, type DeclaredMetric } from "../src/core/api/metrics/declared.ts";

const FOLDER = join(import.meta.dirname, "../deploy/monitoring");
const { spec: rules } = parse(readFileSync(join(FOLDER, "alerts.yaml"), "utf8")) as { spec: Rules };
const dashboard = readFileSync(join(FOLDER, "dashboard.json"), "utf8");

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

/** What of a manifest is looked at. */
interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly selector?: { readonly matchLabels: object };
    readonly podSelector?: { readonly matchLabels: object };
    readonly podMetricsEndpoints?: readonly { readonly port: string }[];
    readonly ingress?: readonly { readonly ports: readonly { readonly port: number }[] }[];
    readonly template?: { readonly spec: { readonly containers: readonly Container[] } };
  };
}

interface Container {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
}

/** What a node adds to the labels of a metric, and what histograms and Prometheus add. */
const FURTHER_LABELS = ["le", "instance", "job", "namespace", "pod", "storeenterprise_io_cluster"];

test("alerts and dashboard ask for metrics and labels that there are", () => {
  const queries = [...alerts().map(({ expr }) => expr), ...expressionsIn(JSON.parse(dashboard))];
  assert.ok(queries.length > 30);
  assert.deepEqual(queries.flatMap(problemsOf), []);
});

test("what neither the dashboard nor an alert shows is known", () => {
  const asked =
    alerts()
      .map(({ expr }) => expr)
      .join(" ") + dashboard;
  const unused = Object.keys(METRICS).filter((name) => !asked.includes(name));
  assert.deepEqual(unused.toSorted(), [
    "store_endpoint_forwarded_total",
    "store_endpoint_listening",
    "store_endpoint_moved_total",
    "store_endpoint_multi_slot_requests_total",
    "store_link_compared",
    "store_link_differences_total",
    "store_link_received_bytes_total",
    "store_link_sent_bytes_total",
    "store_operator_info",
    "store_operator_pass_seconds_total",
    "store_reshape_copied_bytes",
    "store_reshape_copied_keys",
    "store_webhook_distrust_total",
    "store_webhook_review_seconds",
  ]);
});

test("the PodMonitors and the NetworkPolicy mean pods and ports that there are", () => {
  const [nodes, operator, policy] = documentsOf(join(FOLDER, "pod-monitor.yaml"));
  const deployment = documentsOf(join(FOLDER, "../bundle.yaml")).find(({ kind }) => kind === "Deployment");
  const node = { [LABELS.app]: APP_LABEL, [LABELS.cluster]: "rec", [LABELS.role]: "node" };
  assert.deepEqual(nodes?.spec.selector?.matchLabels, node);
  assert.deepEqual(policy?.spec.podSelector?.matchLabels, node);
  assert.equal(policy?.spec.ingress?.[0]?.ports[0]?.port, PORTS.management);
  assert.deepEqual(operator?.spec.selector, deployment?.spec.selector);
  const [container] = deployment?.spec.template?.spec.containers ?? [];
  const metrics = container?.ports.find(({ name }) => name === operator?.spec.podMetricsEndpoints?.[0]?.port);
  assert.equal(metrics?.containerPort, PORTS.metrics);
});

const promtool = findPromtool();

const WITHOUT_PROMTOOL = promtool === undefined && "there is no promtool: npm run promtool";

test("promtool takes the rules", { skip: WITHOUT_PROMTOOL }, () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "rules-"));
  const file = join(folder.path, "rules.yml");
  writeFileSync(file, stringify(rules));
  assert.match(execFileSync(promtool ?? "", ["check", "rules", file], { encoding: "utf8" }), /SUCCESS/);
});

test(
  "an alert names the database whose newest backup is older than a schedule allows",
  { skip: WITHOUT_PROMTOOL },
  () => {
    const of = (name: string, labels: string, values: string) => ({ series: `${name}{${labels}}`, values });
    const [orders, carts] = ["orders", "carts"].map((name) => `database_namespace="team-a", database="${name}"`);
    const stale = {
      exp_labels: { severity: "warning", database_namespace: "team-a", database: "orders" },
      exp_annotations: {
        summary: "The newest backup of orders that can be restored is 1h 36m 0s old",
        description:
          "Its schedule asks for a newer one. `storectl backup list orders -n team-a` says what became of the last ones, and `storectl backup schedules` what the schedule waits for.",
      },
    };
    testRules({
      interval: "1m",
      input_series: [
        of("store_backup_age_seconds", orders ?? "", "4500+60x60"),
        of("store_backup_wanted_age_seconds", `${orders ?? ""}, schedule="hourly"`, "5400x60"),
        of("store_backup_wanted_age_seconds", `${orders ?? ""}, schedule="nightly"`, "129600x60"),
        of("store_backup_age_seconds", carts ?? "", "4500+60x60"),
      ],
      alert_rule_test: [
        { eval_time: "15m", alertname: "StoreBackupStale", exp_alerts: [] },
        { eval_time: "20m", alertname: "StoreBackupStale", exp_alerts: [] },
        { eval_time: "21m", alertname: "StoreBackupStale", exp_alerts: [stale] },
      ],
    });
  },
);

/** What `promtool test rules` says of the alerts at these values; fails when it is something else. */
function testRules(test: object): void {
  using folder = mkdtempDisposableSync(join(tmpdir(), "rules-"));
  writeFileSync(join(folder.path, "rules.yml"), stringify(rules));
  const file = join(folder.path, "test.yml");
  writeFileSync(file, stringify({ rule_files: ["rules.yml"], tests: [test] }));
  const { status, stdout, stderr } = spawnSync(promtool ?? "", ["test", "rules", file], { encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
}

function documentsOf(file: string): readonly Manifest[] {
  return parseAllDocuments(readFileSync(file, "utf8")).map((each) => each.toJS() as Manifest);
}

/** What PROMTOOL names, what `npm run promtool` has brought, or that of the system. */
function findPromtool(): string | undefined {
  const programs = [process.env.PROMTOOL ?? PROMTOOL, "promtool"];
  return programs.find((program) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0);
}

function alerts(): readonly { readonly alert: string; readonly expr: string }[] {
  return rules.groups.flatMap((group) => group.rules);
}

/** All expressions of a dashboard, wherever they stand. */
function expressionsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    name === "expr" && typeof each === "string" ? [each] : expressionsIn(each),
  );
}

function problemsOf(query: string): string[] {
  const names = [...query.matchAll(/store_[a-z_]+/g)].map(([name]) => name);
  const known = names.flatMap((name) => metricOf(name) ?? []);
  const unknown = names.filter((name) => metricOf(name) === undefined);
  const labels = [...query.matchAll(/(?:by \(([^)]*)\)|\{([^}]*)\})/g)].flatMap(([, by = "", braced = ""]) =>
    [...by.split(","), ...braced.split(",").map((one) => one.split(/[=!]/)[0] ?? "")].map((one) => one.trim()),
  );
  const allowed = [...known.flatMap((metric) => metric.labels), ...FURTHER_LABELS, ""];
  const foreign = labels.filter((label) => !allowed.includes(label));
  return [...unknown, ...foreign].map((what) => `${what} in ${query}`);
}

function metricOf(series: string): DeclaredMetric | undefined {
  const all: Readonly<Record<string, DeclaredMetric>> = METRICS;
  const histogram = all[series.replace(/_(bucket|sum|count)$/, "")];
  return all[series]?.type === "histogram"
    ? undefined
    : (all[series] ?? (histogram?.type === "histogram" ? histogram : undefined));
}
