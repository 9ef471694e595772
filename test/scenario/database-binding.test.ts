import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterStatus } from "../../src/core/api/cluster-status.ts";
import { FINALIZERS } from "../../src/core/api/kinds.ts";
import { ActiveActiveDatabases, Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { LABELS, MADE_FOR_ANNOTATION } from "../../src/core/api/names.ts";
import { ConfigMaps, Secrets } from "#kit/kube/builtin";
import { startSimulatedCluster } from "../kit/operator/simulated-cluster.ts";
import { until } from "#kit/testing/until";

const namespace = "default";
const SECOND = { name: "2rec", namespace };

await using cluster = await startSimulatedCluster("8.2.0-12", "v1.33.1");
const { agents } = cluster;
const { kube } = cluster.world;
const { uid } = await agents.create({ name: "same", memory_size: 100_000_000, authentication_redis_pass: "x" });
await kube.create(Databases, { metadata: { name: "orders", namespace }, spec: { memorySize: "100MB" } });
await until("orders is active", async () => (await statusOf("orders")).status === "active");
await kube.create(Clusters, { metadata: SECOND, spec: {} });
await until("the second is refused", async () => (await stateOf("2rec"))?.state === "Invalid");

await test("a database stays in its cluster when another cluster is made, and its edits are applied", async () => {
  const calls = agents.calls.get("updateBdb") ?? 0;
  await edit({ memorySize: "200MB" });
  await until("the edit is applied", () => (agents.calls.get("updateBdb") ?? 0) > calls);
  await until("it is at rest", async () => isReady(await statusOf("orders")));
  assert.equal((await statusOf("orders")).cluster, "rec");
});

await test("a database cannot be given to another cluster, whether that is there or not", async () => {
  for (const name of ["2rec", "recc"]) {
    await edit({ storeEnterpriseCluster: { name } });
    await until(`${name} is refused`, async () =>
      ((await statusOf("orders")).findings ?? []).some(
        ({ evidence }) => evidence.includes(`"${name}"`) && evidence.includes("does not move between clusters"),
      ),
    );
  }
});

await test("a cluster that is deleted does not wait for databases of another one", async () => {
  await kube.delete(Clusters, SECOND);
  await until("the second is gone", async () => (await kube.get(Clusters, SECOND)) === undefined);
});

await test("an object that names no cluster that is there takes along only the database that was made for it", async () => {
  await deleteUnbound("same");
  assert.equal(agents.calls.get("deleteBdb"), undefined);
  const annotations = { [MADE_FOR_ANNOTATION]: "same" };
  await kube.patch(
    Secrets,
    { name: `rec-db-${uid}`, namespace },
    { type: "merge", body: { metadata: { annotations } } },
  );
  await deleteUnbound("same");
  assert.equal(agents.calls.get("deleteBdb"), 1);
});

await test("an object of a database stays while its cluster has no nodes, until new nodes have removed the database", async () => {
  const ref = { name: "late", namespace };
  await kube.create(Databases, {
    metadata: ref,
    spec: { memorySize: "100MB", storeEnterpriseCluster: { name: "rec" } },
  });
  await until("it is active", async () => isReady(await statusOf("late")));
  const calls = agents.calls.get("deleteBdb") ?? 0;
  await cluster.world.rest();
  await cluster.patch({ nodes: 4 });
  await cluster.removeNodes();
  await kube.delete(Databases, ref);
  const labels = { [LABELS.cluster]: "rec", [LABELS.record]: "cluster" };
  await kube.create(ConfigMaps, { metadata: { name: "rec-cluster", namespace, labels } });
  const spec = { storeEnterpriseCluster: { name: "rec" }, participatingClusters: [{ name: "here" }] };
  const made = await kube.create(ActiveActiveDatabases, {
    metadata: { name: "between", namespace, finalizers: [FINALIZERS.activeActive] },
    spec,
  });
  await kube.update(ActiveActiveDatabases, { ...made, status: { guid: "g" } }, { subresource: "status" });
  await kube.delete(ActiveActiveDatabases, { name: "between", namespace });
  await cluster.world.operate("8.2.0-12");
  await until("it says why it stays", async () =>
    ((await statusOf("late")).conditions ?? []).some(({ message }) => message.includes("has no nodes now")),
  );
  await until("so does one of several sites", async () => {
    const found = await kube.get(ActiveActiveDatabases, { name: "between", namespace });
    return found?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "False") === true;
  });
  await cluster.patch({ nodes: 3 });
  await until("it is gone", async () => (await kube.get(Databases, ref)) === undefined);
  assert.equal(agents.calls.get("deleteBdb"), calls + 1);
});

await test("an Active-Active database stays while it cannot be known which cluster takes part in it", async () => {
  const ref = { name: "shared", namespace };
  await kube.create(Clusters, { metadata: SECOND, spec: {} });
  const made = await kube.create(ActiveActiveDatabases, {
    metadata: { ...ref, finalizers: [FINALIZERS.activeActive] },
    spec: { participatingClusters: [{ name: "here" }] },
  });
  await kube.update(ActiveActiveDatabases, { ...made, status: { guid: "g" } }, { subresource: "status" });
  await kube.delete(ActiveActiveDatabases, ref);
  const found = () => kube.get(ActiveActiveDatabases, ref);
  await until("it says why", async () =>
    ((await found())?.status?.conditions ?? []).some(({ reason }) => reason === "ClusterNotFound"),
  );
  const { storeEnterpriseCluster, ...spec } = { ...made.spec, storeEnterpriseCluster: { name: "2rec" } };
  await kube.patch(ActiveActiveDatabases, ref, { type: "merge", body: { spec: { ...spec, storeEnterpriseCluster } } });
  await until("it is gone", async () => (await found()) === undefined);
});

await test("a cluster that is deleted names the databases that it has", async () => {
  await kube.delete(Clusters, { name: "rec", namespace });
  const says = async () => (await stateOf("rec"))?.conditions?.find(({ type }) => type === "Progressing")?.message;
  await until(
    "it waits",
    async () => (await says()) === "waits until its databases are deleted: kubectl delete redb orders",
  );
});

await test("a database whose object names no cluster that is there is removed from the one that has it", async () => {
  await kube.delete(Databases, { name: "orders", namespace });
  await until(
    "the object is gone",
    async () => (await kube.get(Databases, { name: "orders", namespace })) === undefined,
  );
  assert.equal(agents.calls.get("deleteBdb"), 3);
});

async function deleteUnbound(name: string): Promise<void> {
  const ref = { name, namespace };
  const spec = { storeEnterpriseCluster: { name: "recc" } };
  await kube.create(Databases, { metadata: { ...ref, finalizers: [FINALIZERS.database] }, spec });
  await kube.delete(Databases, ref);
  await until("the object is gone", async () => (await kube.get(Databases, ref)) === undefined);
}

async function edit(spec: object): Promise<void> {
  await kube.patch(Databases, { name: "orders", namespace }, { type: "merge", body: { spec } });
}

async function statusOf(name: string) {
  return (await kube.get(Databases, { name, namespace }))?.status ?? {};
}

function isReady({ conditions }: Awaited<ReturnType<typeof statusOf>>): boolean {
  return conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
}

async function stateOf(name: string): Promise<ClusterStatus | undefined> {
  return (await kube.get(Clusters, { name, namespace }))?.status;
}
