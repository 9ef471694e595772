import assert from "node:assert/strict";
import { test } from "node:test";
import { LABELS } from "../../src/core/api/names.ts";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Secrets } from "../../src/ports/kube/builtin.ts";
import { startSimulatedCluster } from "../kit/operator/simulated-cluster.ts";
import { until } from "../kit/time/until.ts";

const namespace = "default";

await using cluster = await startSimulatedCluster("8.2.0-12", "v1.33.1");
const { kube } = cluster.world;
await kube.create(Databases, { metadata: { name: "first", namespace }, spec: { memorySize: "100MB" } });
await until("the first is active", async () => (await statusOf("first")).status === "active");
const labels = { [LABELS.database]: "first" };
await kube.create(Secrets, { metadata: { name: "kept-for-first", namespace, labels }, stringData: { password: "x" } });
await kube.create(Secrets, { metadata: { name: "mine", namespace }, stringData: { password: "my-own-word" } });

const refused = [
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
      return findings.some(({ id, evidence }) => id === "SpecInvalid" && says.test(evidence));
    });
    assert.deepEqual(await contentOf(databaseSecretName), before);
    assert.equal((await statusOf("orders")).databaseUID, undefined);
  }
  const body = { spec: { databaseSecretName: "mine" } };
  await kube.patch(Databases, { name: "orders", namespace }, { type: "merge", body });
  await until("it is made", async () => (await statusOf("orders")).status === "active");
  const { port, password } = await contentOf("mine");
  assert.match(Buffer.from(port ?? "", "base64").toString(), /^\d+$/);
  assert.equal(Buffer.from(password ?? "", "base64").toString(), "my-own-word");
});

async function statusOf(name: string) {
  return (await kube.get(Databases, { name, namespace }))?.status ?? {};
}

async function contentOf(name: string): Promise<Readonly<Record<string, string>>> {
  return (await kube.get(Secrets, { name, namespace }))?.data ?? {};
}
