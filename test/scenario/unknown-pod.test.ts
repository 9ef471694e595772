import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding } from "../../src/core/api/parts.ts";
import { LABELS } from "../../src/core/api/names.ts";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Pods } from "#kit/kube/builtin";
import { startSimulatedCluster } from "../kit/operator/simulated-cluster.ts";
import { until } from "#kit/testing/until";

const namespace = "default";
const POD = { name: "rec-1", namespace };

await using cluster = await startSimulatedCluster("8.0.20-26", "v1.33.1");
const { kube } = cluster.world;

await test("a node that another writer takes its labels from is a finding, and its remedy ends it", async () => {
  await kube.patch(Pods, POD, { type: "merge", body: { metadata: { labels: { [LABELS.role]: null } } } });
  await until("it is a finding", async () => (await found("PodUnknown")) !== undefined);
  const remedy = (await found("PodUnknown"))?.remedy ?? "";
  const [, body = ""] = /^give them back: kubectl patch pod rec-1 --type merge -p '(.*)'$/.exec(remedy) ?? [];
  await kube.patch(Pods, POD, { type: "merge", body: JSON.parse(body) });
  await until("nothing is found", async () => (await status()).findings?.length === 0);
});

await test("nodes that are asked for, and that no operator makes yet, lack no permission", async () => {
  await cluster.world.operate("8.2.0-12");
  await cluster.patch({ nodes: 5 });
  await until("the newer operator has looked at it", async () => {
    const { observedGeneration, conditions = [] } = await status();
    const { metadata } = (await kube.get(Clusters, { name: "rec", namespace })) ?? {};
    const isSuspended = conditions.some(({ reason }) => reason === "OperatorUpgraded");
    return isSuspended && observedGeneration === metadata?.generation;
  });
  assert.equal(await found("PermissionsMissing"), undefined);
  await cluster.world.rest();
});

async function status() {
  return (await kube.get(Clusters, { name: "rec", namespace }))?.status ?? {};
}

async function found(id: string): Promise<Finding | undefined> {
  return (await status()).findings?.find((finding) => finding.id === id);
}
