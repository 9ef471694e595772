import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import { test } from "node:test";
import type { ClusterStatus } from "../../src/core/api/cluster-status.ts";
import { LICENSE_AUTHORITIES } from "../../src/core/api/license.ts";
import { clusterNames, OLD_WEBHOOK_CONFIGURATION, OPERATOR_NAME } from "../../src/core/api/names.ts";
import { ConfigMaps, Nodes, Roles, Secrets, ValidatingWebhookConfigurations } from "#kit/kube/builtin";
import { applyManifest } from "#kit/kube/manifest";
import { createLicenseAuthority, signLicense } from "../../src/ports/management/license.ts";
import { connectionTo, readClusterSpec } from "../../src/mechanisms/observe/cluster.ts";
import { liveReads } from "../../src/mechanisms/observe/kubernetes/cluster-reads.ts";
import { openConnections } from "../../src/mechanisms/observe/management/connections.ts";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { createAuthority, issue } from "#kit/pki/authority";
import { systemClock } from "#kit/reconcile/system-clock";
import { bundleFor } from "../../src/core/releases/bundle/bundle.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { release } from "../kit/facts/cluster-view.ts";
import { tallyArchive } from "../kit/modules/module-archive.ts";
import { isOperatorReady, PATIENCE, startStorectlWorld } from "../kit/world/storectl-world.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";

// One cluster with a new operator, frozen for everything at once: recover proposes, does what it can, and the upgrade goes on.

const REC = { name: "rec", namespace: "default" };
const REDB = { name: "orders", namespace: "default" };
const LATEST = latestRelease();
const now = new Date();
const licences = createLicenseAuthority();
const strangers = createLicenseAuthority();
const authority = createAuthority({ commonName: "modules", now, days: 1 });

await using world = await startStorectlWorld(release("8.0.18-11"));
await using stack = new AsyncDisposableStack();
const server = stack.adopt(await serveModule(), (one) => one.close().closeAllConnections());
await installLicense();
await applyManifest(world.kube, bundleFor(LATEST), "default", "test");
await until("the new operator", async () => isSuspended(await status()), PATIENCE);
await until("it is ready", () => isOperatorReady(world.kube), PATIENCE);

await test("storectl recover: lists what freezes an upgrade, clears it, and the upgrade goes on", () =>
  steps(world, {
    "an upgrade that is available and not wanted needs no recovery": recoverFromNothing,
    "every cause that the upgrade is frozen for is printed with its remedy, and nothing is done": listEverything,
    "a licence of a stranger is refused by the cluster, and the object is not touched": refuseStranger,
    "recover resumes its work: the rest is done, the object written, and the upgrade goes on": finish,
    "a wrong tag and an impossible number of nodes are put right together": correctSpec,
  }));

const mistakes: { name: string; args: string[]; code: number; says: RegExp }[] = [
  { name: "a licence that is not there", args: ["--license", "/nowhere"], code: 1, says: /CLI_FILE: \/nowhere/ },
  { name: "a module that is none", args: ["--module", "/etc/hostname"], code: 1, says: /MODULES_NOT_AN_ARCHIVE/ },
  { name: "an address without TLS", args: ["--module-url", "a=http://x"], code: 2, says: /begins with https:\/\// },
];
for (const { name, args, code, says } of mistakes) {
  await test(`${name} ends with exit code ${code} before anything is asked`, async () => {
    const ran = await world.storectl("recover", ...args);
    assert.equal(ran.code, code, ran.stdout);
    assert.match(ran.stderr, says);
  });
}

async function recoverFromNothing(): Promise<void> {
  const { code, stdout } = await world.storectl("recover");
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^default\/rec: Running at 8\.0\.18-23\.11\n\nNothing blocks\.\n$/);
}

async function listEverything(): Promise<void> {
  await freeze();
  const before = await world.kube.get(Clusters, REC);
  const { code, stdout } = await world.storectl("recover", "-o", "json");
  assert.equal(code, 3, stdout);
  const { recoveries } = JSON.parse(stdout);
  assert.deepEqual(
    recoveries.map(({ rule }: { rule: string }) => rule),
    [
      "PermissionsMissing",
      "WebhookStale",
      "AutoUpgradeDigestConflict",
      "AutoUpgradeUserModules",
      "UserModuleInvalid",
      "LicenseInvalid",
      "WorkerUnschedulable",
      "Drifted",
    ],
  );
  const asked = await world.storectl("recover");
  assert.equal(asked.code, 3);
  assert.match(asked.stdout, /needs +a licence for this cluster: --license <file>/);
  assert.match(asked.stdout, /Nothing was done: there is no terminal to ask\. Give --yes/);
  const after = await world.kube.get(Clusters, REC);
  assert.deepEqual(after?.spec, before?.spec);
}

async function refuseStranger(): Promise<void> {
  const before = await licenceOfSecret();
  const bad = await licenceFile("bad.txt", strangers.privateKey);
  const refused = await world.storectl("recover", "--license", bad, "--yes");
  assert.equal(refused.code, 1, refused.stdout);
  assert.match(refused.stderr, /^MANAGEMENT_REFUSED: PUT \/v1\/license/);
  assert.equal(await licenceOfSecret(), before);
  for (const { stdout, stderr } of [refused]) assert.doesNotMatch(stdout + stderr, /[A-Za-z0-9+/=]{60}/);
}

async function finish(): Promise<void> {
  const good = await licenceFile("good.txt", licences.privateKey);
  const { code, stdout, stderr } = await world.storectl("recover", "--license", good, "--yes");
  assert.equal(code, 0, stdout + stderr);
  assert.match(
    stdout,
    /rec\/rec: LicenseInvalid\n {3}\$ curl -X PUT .*\/v1\/license\n {3}\$ kubectl create secret generic paid .*\n {3}cleared\n/,
  );
  assert.match(stdout, /redb\/orders: Drifted\n {3}\$ kubectl patch redb orders .*"7\.4".*\n {3}cleared\n/);
  assert.match(stdout, /\nNothing blocks any more\. A waiting upgrade continues/);
  await arrived();
  assert.equal((await world.kube.get(Databases, REDB))?.spec.storeVersion, "7.4");
  assert.deepEqual(
    (await status()).userModules?.map(({ name, state }) => [name, state]),
    [["tally", "Installed"]],
  );
  assert.equal(await world.kube.get(ValidatingWebhookConfigurations, { name: OLD_WEBHOOK_CONFIGURATION }), undefined);
}

async function correctSpec(): Promise<void> {
  await setSpec({ nodes: 4, storeEnterpriseImageSpec: { versionTag: "9.9.9-9" } });
  await world.stateIs("Invalid");
  const asked = await world.atTerminal(["no", "no"], "recover");
  assert.equal(asked.code, 3, asked.stdout);
  assert.equal(asked.stdout.match(/Do this\? \(yes\/no\) [^]*? {3}left as it is/g)?.length, 2, asked.stdout);
  assert.equal((await world.kube.get(Clusters, REC))?.spec.nodes, 4);
  const { code, stdout, stderr } = await world.storectl("recover", "--yes");
  assert.equal(code, 0, stdout + stderr);
  const { spec } = (await world.kube.get(Clusters, REC)) ?? {};
  assert.deepEqual([spec?.nodes, spec?.storeEnterpriseImageSpec?.versionTag], [3, LATEST.nodeTag]);
  await arrived();
  assert.match((await world.storectl("recover")).stdout, /Nothing blocks\./);
}

/** Everything at once that one can freeze an upgrade with. */
async function freeze(): Promise<void> {
  const digestHash = `sha256:${"0".repeat(64)}`;
  await upgradeByHand();
  await distrust();
  await world.kube.create(ValidatingWebhookConfigurations, {
    metadata: { name: OLD_WEBHOOK_CONFIGURATION },
    webhooks: [],
  });
  await setSpec({
    autoUpgradeStoreEnterprise: true,
    usageMeter: { callHomeClient: { imageSpec: { digestHash } } },
    userDefinedModules: [
      { name: "counter", source: { https: { url: moduleUrl() } }, credentialsSecret: "module-authority" },
    ],
  });
  await until("the module's name", async () => (await status()).userModules?.[0]?.moduleName === "tally", PATIENCE);
  const { items } = await world.kube.list(Nodes);
  for (const { metadata } of items)
    await world.kube.patch(Nodes, { name: metadata.name }, { type: "merge", body: { spec: { unschedulable: true } } });
  await takeAway("poddisruptionbudgets");
  await until("the operator says so", async () => (await blocking()).includes("PermissionsMissing"), PATIENCE);
}

async function status(): Promise<ClusterStatus> {
  return (await world.kube.get(Clusters, REC))?.status ?? {};
}

function isSuspended({ conditions = [] }: ClusterStatus): boolean {
  return conditions.some(({ type, status }) => type === "ReconcileSuspended" && status === "True");
}

async function blocking(): Promise<readonly string[]> {
  const { findings = [] } = await status();
  return findings.filter(({ severity }) => severity === "block").map(({ id }) => id);
}

async function setSpec(spec: object): Promise<void> {
  await world.kube.patch(Clusters, REC, { type: "merge", body: { spec } });
}

async function arrived(): Promise<void> {
  await until(
    "the release",
    async () => {
      const { state, version, replicas, observedGeneration } = await status();
      const rec = await world.kube.get(Clusters, REC);
      return (
        observedGeneration === rec?.metadata.generation &&
        state === "Running" &&
        version === LATEST.nodeTag &&
        replicas === 3
      );
    },
    PATIENCE,
  );
}

/** Without this rule the operator of the bundle may not do all that it has to. */
async function takeAway(resource: string): Promise<void> {
  const role = await world.kube.get(Roles, { name: OPERATOR_NAME, namespace: "default" });
  assert.ok(role);
  const rules = (role.rules ?? []).filter(({ resources = [] }) => !resources.includes(resource));
  await world.kube.update(Roles, { ...role, rules });
}

/** A licence of an authority that is trusted for now. */
async function installLicense(): Promise<void> {
  await world.kube.create(ConfigMaps, {
    metadata: { name: LICENSE_AUTHORITIES, namespace: "default" },
    data: { "public.pem": licences.publicKey },
  });
  const license = licence(licences.privateKey, 9);
  await world.kube.create(Secrets, { metadata: { name: "paid", namespace: "default" }, stringData: { license } });
  await setSpec({ licenseSecretName: "paid" });
  await until("the licence", async () => (await status()).licenseStatus?.shardsLimit === 9, PATIENCE);
}

/** The authority is replaced by another one: what it has signed counts no more. */
async function distrust(): Promise<void> {
  const next = createLicenseAuthority();
  Object.assign(licences, next);
  await world.kube.patch(
    ConfigMaps,
    { name: LICENSE_AUTHORITIES, namespace: "default" },
    { type: "merge", body: { data: { "public.pem": next.publicKey } } },
  );
  await until("it is not in force", async () => (await status()).licenseStatus?.licenseState === "Invalid", PATIENCE);
}

function licence(key: string, shards: number): string {
  const terms = {
    cluster_name: clusterNames.dnsName("rec", "default"),
    owner: "",
    activation_date: new Date(now.getTime() - 60_000).toISOString(),
    expiration_date: new Date(now.getTime() + 30 * 86_400_000).toISOString(),
    shards_limit: shards,
    features: [],
  };
  return signLicense(terms, key);
}

async function licenceFile(name: string, key: string): Promise<string> {
  const file = join(world.dir, name);
  await writeFile(file, licence(key, 12));
  return file;
}

async function licenceOfSecret(): Promise<string> {
  return (await world.kube.get(Secrets, { name: "paid", namespace: "default" }))?.data?.["license"] ?? "";
}

/** As an administrator does while objects are not acted on: the database is then ahead of its object (§7). */
async function upgradeByHand(): Promise<void> {
  const connections = openConnections(world.kube, systemClock);
  try {
    const rec = await world.kube.get(Clusters, REC);
    assert.ok(rec);
    const spec = readClusterSpec(rec);
    assert.ok(typeof spec !== "string");
    const pods = await liveReads(world.kube).nodePods(REC);
    const connection = await connectionTo(connections, REC, spec, pods);
    assert.ok(typeof connection !== "string", String(connection));
    const { client } = connection;
    const [bdb] = await client.call("bdbs");
    assert.ok(bdb);
    await client.call("upgradeBdb", { params: { uid: bdb.uid }, body: { store_version: "7.4" } });
    const isThere = async (): Promise<boolean> => {
      const { status, redis_version } = await client.call("bdb", { params: { uid: bdb.uid } });
      return status === "active" && redis_version === "7.4";
    };
    await until("7.4", isThere, PATIENCE);
  } finally {
    await connections.close();
  }
}

async function serveModule(): Promise<Server> {
  const archive = await tallyArchive({ compatible: "7.4" });
  const names = { dnsNames: ["localhost"], ipAddresses: [] };
  const identity = issue(authority, { commonName: "modules", ...names, usages: ["server"], now, days: 1 });
  const started = createServer({ key: identity.key, cert: identity.certificate }, (_request, response) => {
    response.end(archive);
  }).listen(0, "127.0.0.1");
  await once(started, "listening");
  await world.kube.create(Secrets, {
    metadata: { name: "module-authority", namespace: "default" },
    stringData: { "ca.crt": authority.certificate },
  });
  return started;
}

function moduleUrl(): string {
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return `https://localhost:${address.port}/tally.zip`;
}
