import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { OPERATOR_CONFIG, OPERATOR_NAME } from "../../src/core/api/names.ts";
import { silentLog } from "#kit/base/log";
import { Events, StatefulSets, ValidatingWebhookConfigurations } from "#kit/kube/builtin";
import type { Stored } from "#kit/kube/kube";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { followWatchedNamespaces } from "../../src/mechanisms/observe/kubernetes/watched-namespaces.ts";
import { runOperator } from "../../src/programs/operator/run.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { NAMESPACE_NAME } from "../../src/core/releases/bundle/admission.ts";
import { connectAs } from "../kit/kubernetes/permission-scene.ts";
import { loopbackAddress } from "../kit/engines/engine.ts";
import { step, steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { proves } from "../kit/specification/proves.ts";
import type { TestServer } from "../api-servers/test-server.ts";
import type { StoreEnterpriseCluster } from "../../src/core/api/kinds.ts";
import { established } from "../kit/kubernetes/established.ts";

const OWN = "default";
const PATIENCE = { withinMs: 60_000, everyMs: 50 };
const CLUSTER = "apply -f deploy/samples/cluster.yaml -n";

/** The operator of one namespace manages others: added, left alone and taken back while it runs. */
export async function watchedNamespaces(server: TestServer): Promise<void> {
  await step("the operator comes by its bundle", () => install(server));
  await using _operator = await startOperator(server);
  await steps(server, {
    "a granted namespace is managed": manageGranted,
    "a namespace without its Role is named with the command that gives it, and the others go on": nameUngranted,
    "a single missing verb is named in the namespace where it is missing": nameMissingVerb,
    "the webhook validates there too": validateThere,
    "a namespace that leaves the list stays as it is, and is managed again once it is back": leaveAndReturn,
    "namespaces are found by their label": findByLabel,
    "clusters there are deleted": deleteClusters,
  });
}

async function install(server: TestServer): Promise<void> {
  const { kubectl } = server;
  await kubectl("apply -f deploy/bundle.yaml");
  await established(kubectl);
  const access = readFileSync("deploy/admission/cluster-role.yaml", "utf8").replaceAll("OPERATOR_NAMESPACE", OWN);
  await kubectl.given(access, "apply -f -");
  for (const name of ["team-a", "team-b", "team-c", "labelled"]) await kubectl(`create namespace ${name}`);
}

async function manageGranted(server: TestServer): Promise<void> {
  await grant(server, "team-a");
  await watch(server, { REDB_NAMESPACES: "team-a" });
  await server.kubectl(`${CLUSTER} team-a`);
  await proves(
    "§4.3.7 roles are reapplied in each watched namespace",
    "the StatefulSet that the operator makes in a namespace whose Role and binding were applied",
  ).until(async () => (await nodesOf(server, "team-a")) !== undefined, PATIENCE);
}

async function nameUngranted(server: TestServer): Promise<void> {
  await watch(server, { REDB_NAMESPACES: "team-a,team-b" });
  await server.kubectl(`${CLUSTER} team-b`);
  const reported = await untilCondition(server, "team-a", "False", "NamespaceNotGranted");
  assert.match(reported, /may not manage namespace team-b: its Role or RoleBinding store-enterprise-operator/);
  await until(
    "the ConfigMap reports it",
    async () => (await eventsOf(server, "NamespaceNotGranted")).length > 0,
    PATIENCE,
  );
  await server.kubectl("patch rec rec -n team-a --type merge -p", '{"spec":{"extraLabels":{"seen":"yes"}}}');
  await until("team-a is managed all the same", async () => isSeen(await recOf(server, "team-a")), PATIENCE);
  assert.equal(await nodesOf(server, "team-b"), undefined);

  const command = /remedy: sed '(.*); (.*)' (\S+) \| kubectl (apply -f -)/.exec(reported);
  assert.ok(command, reported);
  await server.kubectl.given(sed(readFileSync(command[3] ?? "", "utf8"), command.slice(1, 3)), "apply -f -");
  await untilNodes(server, "team-b");
  await untilCondition(server, "team-a", "True", "AllWatched");
}

async function nameMissingVerb(server: TestServer): Promise<void> {
  const rules = { rules: [] };
  await server.kubectl("patch role store-enterprise-operator -n team-b --type merge -p", JSON.stringify(rules));
  await untilCondition(server, "team-a", "False", "NamespaceNotGranted");
  await grant(server, "team-b");
  await untilCondition(server, "team-a", "True", "AllWatched");
  const path = "/rules/0/verbs";
  const operations = [{ op: "replace", path, value: ["get", "list", "watch"] }];
  await server.kubectl("patch role store-enterprise-operator -n team-b --type json -p", JSON.stringify(operations));
  const reported = await untilCondition(server, "team-b", "False", "PermissionsMissing");
  proves(
    "§4.3.7 roles are reapplied in each watched namespace",
    "the condition NamespacesWatched while the Role of one namespace lacks a verb, as an older one would",
  ).match(reported, /may not patch storeenterpriseclusters\S+ in namespace team-b/);
  await grant(server, "team-b");
  await untilCondition(server, "team-b", "True", "AllWatched");
}

async function validateThere(server: TestServer): Promise<void> {
  const judged = async (): Promise<unknown> => {
    const found = await server.kube.get(ValidatingWebhookConfigurations, { name: "store-enterprise-admission" });
    return found?.webhooks?.[0]?.namespaceSelector?.matchExpressions?.[0];
  };
  const template = readFileSync("deploy/admission/webhook-template.yaml", "utf8").replaceAll("OPERATOR_NAMESPACE", OWN);
  await server.kubectl.given(openly(template), "apply -f -");
  await endpoint(server);
  const wanted = { key: NAMESPACE_NAME, operator: "In", values: [OWN, "team-a", "team-b"] };
  await until("it is reported", async () => JSON.stringify(await judged()) === JSON.stringify(wanted), PATIENCE);
  await server.kubectl("delete clusterrolebinding store-enterprise-operator-admission");
  await server.kubectl("delete endpointslice admission-test");
  await server.kubectl("delete ValidatingWebhookConfiguration store-enterprise-admission");
}

async function leaveAndReturn(server: TestServer): Promise<void> {
  await watch(server, { REDB_NAMESPACES: "team-b" });
  await untilCondition(server, "team-b", "True", "AllWatched", /manages team-b too/);
  let round = 0;
  const isLeft = async (): Promise<boolean> => {
    round += 1;
    const body = JSON.stringify({ spec: { extraLabels: { round: `n${round}` } } });
    for (const name of ["team-a", "team-b"]) await server.kubectl(`patch rec rec -n ${name} --type merge -p`, body);
    await until("team-b is managed", async () => isSeen(await recOf(server, "team-b")), PATIENCE);
    return !isSeen(await recOf(server, "team-a"));
  };
  await until("team-a is left as it is", isLeft, PATIENCE);
  assert.ok(await nodesOf(server, "team-a"), "its nodes are gone");
  await watch(server, { REDB_NAMESPACES: "team-b,team-a" });
  await until("team-a is managed again", async () => isSeen(await recOf(server, "team-a")), PATIENCE);
}

async function findByLabel(server: TestServer): Promise<void> {
  await grant(server, "labelled");
  await server.kubectl(`${CLUSTER} labelled`);
  await watch(server, { REDB_NAMESPACES: "team-a", REDB_NAMESPACES_LABEL: "store" });
  await untilCondition(server, "team-a", "False", "NamespacesNotListed");
  const access = readFileSync("deploy/watched-by-label.yaml", "utf8").replaceAll("OPERATOR_NAMESPACE", OWN);
  await server.kubectl.given(access, "apply -f -");
  await server.kubectl("label namespace labelled store=yes");
  await untilNodes(server, "labelled");
  await server.kubectl("label namespace labelled store-");
  await untilCondition(server, "team-a", "True", "AllWatched", /manages team-a too/);
}

async function deleteClusters(server: TestServer): Promise<void> {
  await watch(server, { REDB_NAMESPACES: "team-a,team-b,labelled" });
  for (const name of ["team-a", "team-b", "labelled"]) await server.kubectl(`delete rec rec -n ${name} --timeout=30s`);
}

function grant(server: TestServer, namespace: string): Promise<string> {
  const text = readFileSync("deploy/watched-namespace.yaml", "utf8");
  return server.kubectl.given(
    text.replaceAll("OPERATOR_NAMESPACE", OWN).replaceAll("WATCHED_NAMESPACE", namespace),
    "apply -f -",
  );
}

function watch(server: TestServer, data: Readonly<Record<string, string>>): Promise<string> {
  const metadata = { name: OPERATOR_CONFIG, namespace: OWN };
  return server.kubectl.given(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data }), "apply -f -");
}

function recOf(server: TestServer, namespace: string): Promise<Stored<StoreEnterpriseCluster> | undefined> {
  return server.kube.get(Clusters, { name: "rec", namespace });
}

function nodesOf(server: TestServer, namespace: string): Promise<unknown> {
  return server.kube.get(StatefulSets, { name: "rec", namespace });
}

function untilNodes(server: TestServer, namespace: string): Promise<void> {
  return until(
    `nodes are made in ${namespace}`,
    async () => (await nodesOf(server, namespace)) !== undefined,
    PATIENCE,
  );
}

async function eventsOf(server: TestServer, reason: string): Promise<readonly unknown[]> {
  const { items } = await server.kube.list(Events, { namespace: OWN });
  return items.filter((event) => event.reason === reason && event.involvedObject.name === OPERATOR_CONFIG);
}

/** The message of the condition NamespacesWatched of the cluster in `namespace`. */
async function untilCondition(
  server: TestServer,
  namespace: string,
  status: string,
  reason: string,
  text = /./,
): Promise<string> {
  let message = "";
  await until(
    `${namespace} says ${reason}`,
    async () => {
      const conditions = (await recOf(server, namespace))?.status?.conditions ?? [];
      const all = conditions.filter(({ type }) => type === "NamespacesWatched");
      message = all[0]?.message ?? "";
      return all[0]?.status === status && text.test(message) && all[0].reason === reason;
    },
    PATIENCE,
  );
  return message;
}

async function endpoint(server: TestServer): Promise<void> {
  const metadata = {
    name: "admission-test",
    namespace: OWN,
    labels: { "kubernetes.io/service-name": "admission" },
  };
  const slice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata,
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
    ports: [{ name: "admission", port: 8443, protocol: "TCP" }],
  };
  await server.kubectl.given(JSON.stringify(slice), "apply -f -");
}

/** The pass over the spec as it is now has been made. */
function isSeen(rec: Stored<StoreEnterpriseCluster> | undefined): boolean {
  return rec?.status?.observedGeneration === rec?.metadata.generation;
}

/** No webhook answers here: what is written goes through all the same. */
function openly(template: string): string {
  return template.replace("failurePolicy: Fail", "failurePolicy: Ignore");
}

function sed(text: string, commands: readonly string[]): string {
  return commands.reduce((result, command) => {
    const [, from = "", to = ""] = command.split("/");
    return result.replaceAll(from, to);
  }, text);
}

async function startOperator(server: TestServer): Promise<AsyncDisposable> {
  const kube = await connectAs(server, OWN, OPERATOR_NAME);
  const stop = new AbortController();
  const following = { clock: systemClock, log: silentLog, signal: stop.signal };
  const watched = followWatchedNamespaces(kube, { own: OWN, ...following });
  const config = { namespace: OWN, identity: "test", address: loopbackAddress(), release: latestRelease() };
  const ended = runOperator({ kube, clock: systemClock, log: silentLog, config, watched, healthPort: 0 }, stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error("the test ends it"));
      await ended;
      await kube.close();
    },
  };
}
