import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "../../src/core/api/parts.ts";
import {
  ActiveActiveDatabases,
  Clusters,
  Databases,
  Backups,
  RemoteClusters,
  Restores,
} from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { startOperatorWorld } from "../kit/operator/operator-world.ts";
import { until } from "#kit/testing/until";

const namespace = "default";

await using world = await startOperatorWorld();
const { kube } = world;
await world.operate("8.2.0-12");

const objects = [
  {
    reason: /SpecInvalid/,
    make: () => kube.create(Clusters, { metadata: { name: "2rec", namespace }, spec: {} }),
    conditions: async () => (await kube.get(Clusters, { name: "2rec", namespace }))?.status?.conditions,
  },
  {
    reason: /ClusterNotFound/,
    make: () =>
      kube.create(Databases, {
        metadata: { name: "orders", namespace },
        spec: { storeEnterpriseCluster: { name: "recc" } },
      }),
    conditions: async () => (await kube.get(Databases, { name: "orders", namespace }))?.status?.conditions,
  },
  {
    reason: /ClusterNotFound/,
    make: () =>
      kube.create(ActiveActiveDatabases, {
        metadata: { name: "carts", namespace },
        spec: { participatingClusters: [{ name: "east" }], storeEnterpriseCluster: { name: "recc" } },
      }),
    conditions: async () => (await kube.get(ActiveActiveDatabases, { name: "carts", namespace }))?.status?.conditions,
  },
  {
    reason: /SecretMissing/,
    make: () =>
      kube.create(RemoteClusters, {
        metadata: { name: "east", namespace },
        spec: { recName: "east", recNamespace: "other", apiFqdnUrl: "east.example" },
      }),
    conditions: async () => (await kube.get(RemoteClusters, { name: "east", namespace }))?.status?.conditions,
  },
  {
    reason: /DatabaseNotFound/,
    make: () =>
      kube.create(Backups, {
        metadata: { name: "nightly", namespace },
        spec: { databaseName: "none", s3: { bucketName: "backups", awsSecretName: "keys" } },
      }),
    conditions: async () => (await kube.get(Backups, { name: "nightly", namespace }))?.status?.conditions,
  },
  {
    reason: /BackupNotFound/,
    make: () =>
      kube.create(Restores, {
        metadata: { name: "copy", namespace },
        spec: { databaseName: "copy", backupName: "none" },
      }),
    conditions: async () => (await kube.get(Restores, { name: "copy", namespace }))?.status?.conditions,
  },
] as const;

for (const { reason, make, conditions } of objects) {
  const { kind } = await make();
  await test(`a ${kind} that waits for a person is stalled, and neither ready nor on its way`, async () => {
    const found = async (type: string): Promise<Condition | undefined> =>
      (await conditions())?.find((condition) => condition.type === type);
    await until("it is stalled", async () => (await found("Stalled"))?.status === "True");
    assert.match((await found("Stalled"))?.reason ?? "", reason);
    assert.match((await found("Stalled"))?.message ?? "", /; remedy: /);
    assert.deepEqual([(await found("Ready"))?.status, (await found("Reconciling"))?.status], ["False", "False"]);
  });
}
