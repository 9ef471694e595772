import assert from "node:assert/strict";
import { test } from "node:test";
import { DATABASES_ANNOTATION, LABELS } from "../../src/core/api/names.ts";
import { Databases, RemoteClusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Secrets } from "#kit/kube/builtin";
import { startSimulatedCluster } from "../kit/operator/simulated-cluster.ts";
import { until } from "#kit/testing/until";

const namespace = "default";

await using cluster = await startSimulatedCluster("8.2.0-12", "v1.33.1");
const { kube } = cluster.world;
await kube.create(Databases, { metadata: { name: "first", namespace }, spec: { memorySize: "100MB" } });
await until("the first is active", async () => (await statusOf("first")).status === "active");
const labels = { [LABELS.database]: "first" };
await kube.create(Secrets, { metadata: { name: "kept-for-first", namespace, labels }, stringData: { password: "x" } });
await kube.create(Secrets, { metadata: { name: "mine", namespace }, stringData: { password: "my-own-word" } });

const remote = { username: "admin@b", password: "of-b", "ca.crt": "of-b" };
await kube.create(Secrets, { metadata: { name: "store-enterprise-b", namespace }, stringData: remote });
const b = { recName: "recb", recNamespace: "far", apiFqdnUrl: "127.99.1.1" };
await kube.create(RemoteClusters, { metadata: { name: "b", namespace }, spec: b });
await kube.create(Secrets, { metadata: { name: "settings", namespace }, stringData: { port: "5432", api: "x" } });

const refused = [
  ["that of a remote cluster", "store-enterprise-b", /is used by StoreEnterpriseRemoteCluster b/],
  ["that of the webhook", "admission-tls", /is used by the admission webhook/],
  ["that of an application", "settings", /has no annotation storeenterprise\.io\/databases with orders/],
  ["the administrator's", "rec", /"rec" is used by StoreEnterpriseCluster rec/],
  ["that of another database", "redb-first", /"redb-first" is used by StoreEnterpriseDatabase first/],
  ["one with the label of another database", "kept-for-first", /is used by StoreEnterpriseDatabase first/],
] as const;

await test("a database does not take a Secret of others, nothing is written into it, and it takes one of its user", async () => {
  await kube.create(Databases, { metadata: { name: "orders", namespace }, spec: { databaseSecretName: "rec" } });
  for (const [, databaseSecretName, says] of refused) {
    const before = await contentOf(databaseSecretName);
    await kube.patch(
      Databases,
      { name: "orders", namespace },
      { type: "merge", body: { spec: { databaseSecretName } } },
    );
    await until(`${databaseSecretName} is refused`, async () => {
      const { findings = [] } = await statusOf("orders");
      return findings.some(({ evidence }) => says.test(evidence));
    });
    assert.deepEqual(await contentOf(databaseSecretName), before);
    assert.equal((await statusOf("orders")).databaseUID, undefined);
  }
  await takesMine();
  for (const [, databaseSecretName, says] of refused) await keepsMine(databaseSecretName, says);
  await takesGiven();
});

async function takesMine(): Promise<void> {
  const body = { spec: { databaseSecretName: "mine" } };
  await kube.patch(Databases, { name: "orders", namespace }, { type: "merge", body });
  await until("it is made", async () => (await statusOf("orders")).status === "active");
  const text = async (key: string): Promise<string> =>
    Buffer.from((await contentOf("mine"))[key] ?? "", "base64").toString();
  await until("its port is there", async () => /^\d+$/.test(await text("port")));
  assert.equal(await text("password"), "my-own-word");
}

/** A database that is there: what it may not use stays as it is, and it keeps its password. */
async function keepsMine(databaseSecretName: string, says: RegExp): Promise<void> {
  const before = await contentOf(databaseSecretName);
  const body = { spec: { databaseSecretName } };
  await kube.patch(Databases, { name: "orders", namespace }, { type: "merge", body });
  await until(`${databaseSecretName} is refused for a database that is there`, async () => {
    const { findings = [] } = await statusOf("orders");
    return findings.some(({ evidence }) => says.test(evidence));
  });
  assert.deepEqual(await contentOf(databaseSecretName), before);
  assert.equal((await statusOf("orders")).passwordFrom?.secret, "mine");
}

/** Keys that were there before stay, and the finding says so. */
async function takesGiven(): Promise<void> {
  const annotations = { [DATABASES_ANNOTATION]: "orders" };
  await kube.patch(Secrets, { name: "settings", namespace }, { type: "merge", body: { metadata: { annotations } } });
  const body = { spec: { databaseSecretName: "settings" } };
  await kube.patch(Databases, { name: "orders", namespace }, { type: "merge", body });
  await until("the key of another is reported", async () => {
    const { findings = [] } = await statusOf("orders");
    return findings.some(({ id, evidence }) => id === "SecretKeyTaken" && /did not write: port/.test(evidence));
  });
  assert.equal(Buffer.from((await contentOf("settings"))["port"] ?? "", "base64").toString(), "5432");
}

async function statusOf(name: string) {
  return (await kube.get(Databases, { name, namespace }))?.status ?? {};
}

async function contentOf(name: string): Promise<Readonly<Record<string, string>>> {
  return (await kube.get(Secrets, { name, namespace }))?.data ?? {};
}
