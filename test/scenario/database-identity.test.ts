import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { test } from "node:test";
import { FINALIZERS } from "../../src/core/api/kinds.ts";
import { LABELS, MADE_FOR_ANNOTATION, TAKE_OVER_ANNOTATION } from "../../src/core/api/names.ts";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Secrets, Services } from "#kit/kube/builtin";
import { startSimulatedCluster } from "../kit/operator/simulated-cluster.ts";
import { until } from "#kit/testing/until";

const namespace = "default";

await using cluster = await startSimulatedCluster("8.2.0-12", "v1.33.1");
const { agents } = cluster;
const { kube } = cluster.world;
const { uid } = await agents.create({ name: "payroll", memory_size: 100_000_000, authentication_redis_pass: "theirs" });

await test("an object does not take a database of its name that it did not make, and its deletion leaves it", async () => {
  await kube.create(Secrets, { metadata: { name: "mine", namespace }, stringData: { password: "my-own-word" } });
  await make("payroll", { databaseSecretName: "mine" });
  await until("it is refused", async () => has(await statusOf("payroll"), "NameTaken"));
  const { databaseUID, status, specStatus } = await statusOf("payroll");
  assert.deepEqual([databaseUID, status, specStatus], [undefined, "creation-failed", "Invalid"]);
  await kube.delete(Databases, { name: "payroll", namespace });
  await isGone("payroll");
  assert.deepEqual([agents.calls.get("updateBdb"), agents.calls.get("deleteBdb")], [undefined, undefined]);
});

await test("a user may agree that it takes the database over", async () => {
  await make("payroll", { databaseSecretName: "mine" });
  await until("it is refused", async () => has(await statusOf("payroll"), "NameTaken"));
  const finding = (await statusOf("payroll")).findings?.find(({ id }) => id === "NameTaken");
  assert.match(finding?.remedy ?? "", new RegExp(`kubectl annotate redb payroll .*${TAKE_OVER_ANNOTATION}=${uid}$`));
  const body = { metadata: { annotations: { [TAKE_OVER_ANNOTATION]: String(uid) } } };
  await kube.patch(Databases, { name: "payroll", namespace }, { type: "merge", body });
  await until("it has it", async () => (await statusOf("payroll")).databaseUID === String(uid));
  const secret = () => kube.get(Secrets, { name: `rec-db-${uid}`, namespace });
  const madeFor = async () => (await secret())?.metadata.annotations?.[MADE_FOR_ANNOTATION];
  await until("its Secret says so", async () => (await madeFor()) === "payroll");
});

await test("an object that is made again has its database again, and its applications their Secret", async () => {
  await make("orders", {});
  await until("it is active", async () => isReady(await statusOf("orders")));
  const [before, password] = [await statusOf("orders"), await passwordIn("redb-orders")];
  await removeAsABundle("orders");
  await kube.delete(Secrets, { name: "redb-orders", namespace });
  await make("orders", {});
  await until("it is active again", async () => isReady(await statusOf("orders")));
  assert.equal((await statusOf("orders")).databaseUID, before.databaseUID);
  await until("the Secret is there", async () => (await passwordIn("redb-orders")) !== "");
  assert.equal(await passwordIn("redb-orders"), password);
});

await test("a database that serves without a Service says so until there is one", async () => {
  await kube.delete(Services, { name: "orders", namespace });
  await until("it says so", async () => has(await statusOf("orders"), "ServiceMissing"), { withinMs: 60_000 });
  const metadata = { name: "orders", namespace };
  await kube.create(Services, { metadata, spec: { ports: [{ port: 1 }] } });
  await edit("orders", { memorySize: "200MB" });
  await until("the database is looked at again", async () => {
    const { metadata, status } = (await found("orders")) ?? {};
    return status?.observedGeneration === metadata?.generation && isReady(status ?? {});
  });
  assert.ok(has(await statusOf("orders"), "ServiceMissing"), "it is not the Service of the database");
  const labels = { [LABELS.cluster]: "rec", [LABELS.database]: "orders" };
  await kube.patch(Services, metadata, { type: "merge", body: { metadata: { labels } } });
  await until("it says so no longer", async () => !has(await statusOf("orders"), "ServiceMissing"));
  assert.ok(isReady(await statusOf("orders")));
});

await test("the Secret that the product made is made again as it was", async () => {
  const ref = { name: "redb-orders", namespace };
  const before = (await kube.get(Secrets, ref))?.data;
  await kube.delete(Secrets, ref);
  await until("the Secret is as it was", async () => isDeepStrictEqual((await kube.get(Secrets, ref))?.data, before));
});

await test("a Secret that takes no change is used for its password, and keeps nothing else from being done", async () => {
  await kube.create(Secrets, {
    metadata: { name: "frozen", namespace },
    stringData: { password: "of-the-user" },
    immutable: true,
  });
  await edit("orders", { databaseSecretName: "frozen" });
  await until("it says so", async () => has(await statusOf("orders"), "AddressNotWritten"));
  await edit("orders", { memorySize: "300MB" });
  await until("the edit is applied", async () => {
    const { observedGeneration, passwordFrom } = await statusOf("orders");
    return observedGeneration === (await found("orders"))?.metadata.generation && passwordFrom?.secret === "frozen";
  });
  await until("it is ready", async () => isReady(await statusOf("orders")));
  assert.ok(has(await statusOf("orders"), "AddressNotWritten"));
});

await test("a pass that fails again and again is written on the object, and the database is not ready", async () => {
  await kube.create(Secrets, { metadata: { name: "empty", namespace }, immutable: true });
  await make("stuck", { databaseSecretName: "empty" });
  await until("it says why", async () => has(await statusOf("stuck"), "PassFailed"));
  const { findings = [] } = await statusOf("stuck");
  assert.match(findings.find(({ id }) => id === "PassFailed")?.evidence ?? "", /immutable/);
  assert.ok(!isReady(await statusOf("stuck")));
});

await test("an object for which the cluster was never asked takes no database that a user makes", async () => {
  await agents.create({ name: "stuck", memory_size: 100_000_000, authentication_redis_pass: "theirs" });
  await until("it is refused", async () => has(await statusOf("stuck"), "NameTaken"));
  const { databaseUID, creating } = await statusOf("stuck");
  assert.deepEqual([databaseUID, creating], [undefined, undefined]);
});

type Status = Awaited<ReturnType<typeof statusOf>>;

async function make(name: string, spec: object): Promise<void> {
  await kube.create(Databases, { metadata: { name, namespace }, spec: { memorySize: "100MB", ...spec } });
}

async function edit(name: string, spec: object): Promise<void> {
  await kube.patch(Databases, { name, namespace }, { type: "merge", body: { spec } });
}

/** What is left of an object when the operator has given it up: its database stays. */
async function removeAsABundle(name: string): Promise<void> {
  await cluster.world.rest();
  const ref = { name, namespace };
  const { finalizers = [] } = (await found(name))?.metadata ?? {};
  const others = finalizers.filter((one) => one !== FINALIZERS.database);
  await kube.patch(Databases, ref, { type: "merge", body: { metadata: { finalizers: others } } });
  await kube.delete(Databases, ref);
  await isGone(name);
  await cluster.world.operate("8.2.0-12");
}

function found(name: string) {
  return kube.get(Databases, { name, namespace });
}

async function statusOf(name: string) {
  return (await found(name))?.status ?? {};
}

async function isGone(name: string): Promise<void> {
  await until(`${name} is gone`, async () => (await found(name)) === undefined);
}

function has({ findings = [] }: Status, id: string): boolean {
  return findings.some((finding) => finding.id === id);
}

function isReady({ conditions = [] }: Status): boolean {
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

async function passwordIn(name: string): Promise<string> {
  const data = (await kube.get(Secrets, { name, namespace }))?.data ?? {};
  return Buffer.from(data["password"] ?? "", "base64").toString();
}
