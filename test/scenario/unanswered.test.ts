import assert from "node:assert/strict";
import { test } from "node:test";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { startSimulatedCluster } from "../kit/operator/simulated-cluster.ts";
import { until } from "#kit/testing/until";

const namespace = "default";
const ORDERS = { name: "orders", namespace };
const REC = { name: "rec", namespace };

await using cluster = await startSimulatedCluster("8.2.0-12", "v1.33.1");
const { kube } = cluster.world;
await kube.create(Databases, { metadata: ORDERS, spec: { memorySize: "100MB" } });
await until("orders is active", async () => (await statusOf()).status === "active");
assert.match(await says("Available"), /^True Serving/);

await test("nothing is said of a database for long when no node of its cluster answers", async () => {
  await cluster.agents[Symbol.asyncDispose]();
  await until("its state is unknown", async () => (await statusOf()).status === "unknown", { withinMs: 90_000 });
  const { unansweredSince = "" } = await statusOf();
  assert.match(await says("Available"), new RegExp(`^Unknown Unanswered: not known since ${unansweredSince}: `));
  assert.match(await says("Ready"), /^False ClusterNotReady/);
  assert.match(await says("Reconciling"), /^True ClusterNotReady/);
});

await test("a deletion that waits says since when, for what, and the way out; its cluster points at it", async () => {
  await kube.delete(Databases, ORDERS);
  await until("it says so", async () => (await statusOf()).status === "delete-pending");
  const said = await says("Ready");
  assert.match(said, /^False Deleting: is being deleted since 20\S+: the cluster rec cannot be asked: /);
  assert.match(said, /kubectl patch redb orders .*finalizers/);
  await kube.delete(Clusters, REC);
  const message = async () =>
    (await kube.get(Clusters, REC))?.status?.conditions?.find(({ type }) => type === "Progressing")?.message ?? "";
  const wanted =
    /^waits for databases that are being deleted already: orders; .*kubectl describe redb orders; no node of the cluster answers/;
  await until("the cluster says so", async () => wanted.test(await message()));
});

async function statusOf() {
  return (await kube.get(Databases, ORDERS))?.status ?? {};
}

/** `<status> <reason>: <message>` of a condition. */
async function says(type: string): Promise<string> {
  const found = (await statusOf()).conditions?.find((condition) => condition.type === type);
  return found === undefined ? "" : `${found.status} ${found.reason}: ${found.message}`;
}
