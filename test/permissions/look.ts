import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, test } from "node:test";
import { mkdtempDisposable } from "node:fs/promises";
import { LABELS, NODE_CONTAINER, OPERATOR_NAME } from "../../src/core/api/names.ts";
import { Fault } from "#kit/base/fault";
import { operatorRules } from "../../src/core/releases/permissions/roles.ts";
import { PERSON_RIGHTS } from "../../src/core/releases/permissions/people.ts";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { Deployments, Namespaces, Pods, RoleBindings, Roles, ServiceAccounts } from "#kit/kube/builtin";
import { runStorectl } from "../../src/programs/cli/storectl.ts";
import { foundKubectls } from "../api-servers/kubectls.ts";
import type { TestServer } from "../api-servers/test-server.ts";
import { roleOf, tokenOf } from "../kit/kubernetes/permission-scene.ts";
import { startShell } from "../kit/world/shell.ts";

const COMMANDS = ["status", "why", "plan", "preflight", "nodes", "databases"] as const;
const TAG = "8.2.0-25.12";

/** What a reader loses, and which commands say so. */
const LOSSES: readonly { readonly resource: string; readonly says: string; readonly by: readonly string[] }[] = [
  { resource: "pods", says: "list pods", by: COMMANDS },
  { resource: "statefulsets", says: 'get statefulsets.apps "rec"', by: ["status", "why", "preflight"] },
  { resource: "deployments", says: `get deployments.apps "${OPERATOR_NAME}"`, by: ["why", "preflight"] },
  { resource: "storeenterprisedatabases", says: "list storeenterprisedatabases", by: ["status", "why", "databases"] },
  { resource: "events", says: "list events", by: ["why"] },
  { resource: "networkpolicies", says: "list networkpolicies", by: ["preflight"] },
];

/** Runs storectl as people with some permissions: what they may not read is not known, and nothing is begun without all that it takes. */
export async function lookSuite(server: TestServer): Promise<void> {
  await describe("a reader who lacks one more permission sees the rest, exit code 4", () => {
    for (const { resource, says, by } of LOSSES)
      for (const command of COMMANDS)
        test(`${command} without ${resource}`, async () => {
          await using person = await openPerson(server, resource);
          const { code, text } = await person.storectl(command, ...(command === "plan" ? ["--to", "8.2.0-12"] : []));
          // nodes and rigger have no account in this namespace, which is a finding of preflight
          assert.ok(code === 4 || (command === "preflight" && code === 3), text);
          const said = text.replaceAll(/\s+/g, " ");
          if (by.includes(command)) assert.ok(said.includes(says), said);
          assert.match(said, /storectl role (reader|login|upgrader) .*\| kubectl apply -n/);
          assert.doesNotMatch(said, /Nothing is wrong|nothing blocks, \d+ passed|no databases|databases none/);
        });
  });
  await test("what depends on nothing that is missing is answered", () => answerTheRest(server));
  await test("an upgrade and a recovery name all that is missing, begin nothing, and go on once the line was typed", () =>
    beginNothing(server));
  await test("without any permission the line of the remedy, typed as it is printed, gives what it takes", () =>
    typeRemedy(server));
}

async function answerTheRest(server: TestServer): Promise<void> {
  await using person = await openPerson(server, "networkpolicies");
  const status = await person.storectl("status", "-o", "json");
  const report = JSON.parse(status.text);
  assert.deepEqual([report.healthy, report.state, report.unreachable], [true, "Running", null]);
  assert.match(report.notRead.text, /get secrets "rec-node-tls"/);
  assert.match((await person.storectl("nodes")).text, /^1 +rec-0 +unknown +leader +8\.2\.0-25\.12$/m);
  assert.match((await person.storectl("databases")).text, /^orders +1 +8\.2 +unknown +active$/m);
  const checks: { outcome: string }[] = JSON.parse((await person.storectl("preflight", "-o", "json")).text).checks;
  assert.ok(checks.some(({ outcome }) => outcome === "passed"));
  const blind = await openPerson(server, "pods");
  const none: { outcome: string }[] = JSON.parse((await blind.storectl("preflight", "-o", "json")).text).checks;
  await blind[Symbol.asyncDispose]();
  assert.deepEqual([...new Set(none.map(({ outcome }) => outcome))], ["unknown"], "no check passes on missing facts");
}

async function beginNothing(server: TestServer): Promise<void> {
  await using person = await openPerson(server, "pods");
  const { namespace } = person;
  const version = async () => (await server.kube.get(Clusters, { name: "rec", namespace }))?.metadata.resourceVersion;
  const before = await version();
  const refused = await person.refused("upgrade", "--to", "8.2.0-12", "--yes");
  assert.equal(refused.code, "CLI_PERMISSIONS_MISSING");
  for (const needed of [
    "list pods",
    'get secrets "rec"',
    'get secrets "rec-node-tls"',
    'patch storeenterpriseclusters.app.storeenterprise.io "rec"',
    "patch storeenterprisedatabases.app.storeenterprise.io",
  ])
    assert.ok(refused.message.includes(needed), refused.message);
  assert.equal((await person.refused("recover", "--yes")).code, "CLI_PERMISSIONS_MISSING");
  const created = await person.refused("active-active", "create", "carts", "--sites", "east,west");
  assert.match(created.message, /may not create storeenterpriseactiveactivedatabases\S+ \(namespace/);
  assert.match(created.remedy, /storectl role database-editor --service-account \S+:person \| kubectl apply -n/);
  assert.equal(await version(), before);
  await person.type(refused.remedy);
  const { code, text } = await person.storectl("upgrade", "--to", "8.2.0-12", "--yes");
  assert.equal(code, 4, text);
  assert.match(
    text,
    /^rec: operator 8\.2\.0-12, nodes 8\.2\.0-25\.12/m,
    "the plan is made, and the cluster does not answer",
  );
}

async function typeRemedy(server: TestServer): Promise<void> {
  await using person = await openPerson(server, undefined);
  const refused = await person.refused("status");
  assert.equal(refused.code, "KUBE_FORBIDDEN");
  assert.equal(
    refused.message,
    `system:serviceaccount:${person.namespace}:person may not list storeenterpriseclusters.app.storeenterprise.io (namespace ${person.namespace})`,
  );
  await person.type(refused.remedy);
  const { code, text } = await person.storectl("status");
  assert.match(text, /NOT KNOWN +\S+:person may not get secrets "rec-node-tls" \(namespace/, "the rest is known");
  // there are no workers in this world
  assert.equal(code, /BLOCKED +rec\/rec: WorkerUnschedulable/.test(text) ? 3 : 4, text);
}

/** A namespace with a cluster that is at rest, and a reader without the resource `lost`; without any permission when it is undefined. */
async function openPerson(server: TestServer, lost: string | undefined) {
  await using stack = new AsyncDisposableStack();
  const namespace = `look-${randomBytes(4).toString("hex")}`;
  await server.kube.create(Namespaces, { metadata: { name: namespace } });
  await writeCluster(server, namespace);
  await grantOperator(server, namespace);
  await server.kube.create(ServiceAccounts, { metadata: { name: "person", namespace } });
  if (lost !== undefined) await bindReader(server, namespace, lost);
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), "look-"))).path;
  const files = { person: join(folder, "person"), admin: join(folder, "admin") };
  const { config } = server;
  await writeFile(
    files.person,
    kubeconfig(server, namespace, { token: await tokenOf(server.kube, namespace, "person") }),
  );
  const { certificate = "", key = "" } = config.clientCertificate ?? {};
  const admin = { "client-certificate-data": base64(certificate), "client-key-data": base64(key) };
  await writeFile(files.admin, kubeconfig(server, namespace, admin));
  const storectl = (...words: readonly string[]) => run([...words, "--kubeconfig", files.person]);
  const owned = stack.move();
  return {
    namespace,
    storectl,
    refused: async (...words: readonly string[]): Promise<Fault> => {
      const error: unknown = await storectl(...words).then(
        ({ text }) => new Error(`it was not refused: ${text}`),
        (reason: unknown) => reason,
      );
      if (error instanceof Fault) return error;
      throw error;
    },
    /** Types the line of a remedy as who may grant permissions. */
    type: (remedy: string) => typeAs(files.admin, remedy.replace(/^A user who may grant permissions runs: /, "")),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function run(words: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  let text = "";
  const print = (part: string): void => {
    text += part;
  };
  const code = await runStorectl(words, { env: {}, store: "", print, clock: systemClock });
  return { code, text };
}

async function typeAs(file: string, line: string): Promise<void> {
  const [kubectl] = foundKubectls();
  const path = [resolve("bin"), dirname(kubectl?.path ?? ""), process.env["PATH"]].join(":");
  await using shell = startShell(resolve("."), { ...process.env, PATH: path, KUBECONFIG: file });
  await shell(line);
}

function kubeconfig({ config }: TestServer, namespace: string, user: object): string {
  const cluster = { server: config.server, "certificate-authority-data": base64(config.ca ?? "") };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "it",
    clusters: [{ name: "it", cluster }],
    users: [{ name: "it", user }],
    contexts: [{ name: "it", context: { cluster: "it", user: "it", namespace } }],
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Gives the operator of the namespace its account and its rights. */
async function grantOperator({ kube }: TestServer, namespace: string): Promise<void> {
  const metadata = { name: OPERATOR_NAME, namespace };
  await kube.create(ServiceAccounts, { metadata });
  await kube.create(Roles, roleOf(namespace, OPERATOR_NAME, operatorRules("kubernetes")));
  await kube.create(RoleBindings, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: OPERATOR_NAME },
    subjects: [{ kind: "ServiceAccount", name: OPERATOR_NAME, namespace }],
  });
}

async function bindReader({ kube }: TestServer, namespace: string, lost: string): Promise<void> {
  const rules = PERSON_RIGHTS.filter(
    ({ roles, resource, isClusterWide }) => roles.includes("reader") && resource !== lost && isClusterWide !== true,
  ).map(({ group, resource, verbs }) => ({ apiGroups: [group], resources: [resource], verbs: [...verbs] }));
  const metadata = { name: "reader", namespace };
  await kube.create(Roles, { metadata, rules });
  await kube.create(RoleBindings, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
    subjects: [{ kind: "ServiceAccount", name: "person", namespace }],
  });
}

async function writeCluster({ kube }: TestServer, namespace: string): Promise<void> {
  const labels = { [LABELS.cluster]: "rec", [LABELS.role]: "node" };
  const image = `storeenterprise/operator:8.2.0-12`;
  const template = { metadata: { labels: { name: "it" } }, spec: { containers: [{ name: OPERATOR_NAME, image }] } };
  await kube.create(Deployments, {
    metadata: { name: OPERATOR_NAME, namespace },
    spec: { selector: { matchLabels: { name: "it" } }, template },
  });
  await kube.patch(
    Deployments,
    { name: OPERATOR_NAME, namespace },
    { type: "merge", body: { status: { replicas: 1, readyReplicas: 1, observedGeneration: 1 } } },
    { subresource: "status" },
  );
  await kube.create(Pods, {
    metadata: { name: "rec-0", namespace, labels },
    spec: { containers: [{ name: NODE_CONTAINER, image: `storeenterprise/node:${TAG}` }] },
  });
  await kube.create(Clusters, { metadata: { name: "rec", namespace }, spec: {} });
  const node = { uid: 1, pod: "rec-0", status: "active", version: TAG, role: "leader" };
  const rec = {
    state: "Running",
    specStatus: "Valid",
    version: TAG,
    imageTag: TAG,
    observedGeneration: 1,
    nodes: [node],
  };
  const status = { subresource: "status" } as const;
  await kube.patch(Clusters, { name: "rec", namespace }, { type: "merge", body: { status: rec } }, status);
  await kube.create(Databases, { metadata: { name: "orders", namespace }, spec: {} });
  const redb = { databaseUID: "1", status: "active", storeVersion: "8.2", cluster: "rec", observedGeneration: 1 };
  await kube.patch(Databases, { name: "orders", namespace }, { type: "merge", body: { status: redb } }, status);
}
