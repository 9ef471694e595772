import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Nodes, PersistentVolumeClaims, PersistentVolumes, Pods, StatefulSets } from "#kit/kube/builtin";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { skipWithout } from "./assets/assets.ts";
import type { Cluster, ClusterNode } from "./cluster/cluster.ts";
import { startCluster } from "./cluster/start-cluster.ts";
import { cgroupOf } from "./machine/home.ts";
import { pidsOf, startElsewhere } from "./other-owner.ts";
import { startTimeOf } from "./machine/proc.ts";
import { ask, askFrom, createTenants, podOf, starts, TENANTS, waitForTenants } from "./cluster/tenants.ts";

const skip = skipWithout("nodes");
const MINUTE = { withinMs: 60_000, everyMs: 100 };
const [first, second] = TENANTS;

test("a cluster of two nodes with a pod on each", { skip }, async () => {
  await using cluster = await startCluster({
    nodes: 2,
    controllerManagerArguments: ["--node-monitor-grace-period=15s"],
  });
  await createTenants(cluster);
  await steps(cluster, {
    "pods are found by name and by Service, from pods, from the center and by the API server": findPods,
    "the administrator's kubeconfig serves programs of the center, too": serveCenter,
    "a name that does not exist is refused, not waited for": refuseUnknownName,
    "settings of the kernel stay as they were: a kubelet sees the values that it wants": keepKernelSettings,
    "a volume outlives its pod and keeps it on its node": keepVolume,
    "a node that is cut off is found not ready, and ready when it heals; its pod goes on": partitionNode,
    "containers go on without a kubelet, and it finds them again": runWithoutKubelet,
    "a node that loses its power comes back with its pod and what that wrote": cutPower,
    "volumes and their folders go with their claims": removeVolumes,
  });
});

test("a cluster whose owner is killed ends with it, and the next one clears away what is left", { skip }, async () => {
  const owner = await startElsewhere(
    "cluster/start-cluster.ts",
    "(await kit.startCluster({ nodes: 1 })).controlPlane.folder",
  );
  const pids = pidsOf(owner.folder);
  const groups = (): string[] => globSync(`/sys/fs/cgroup/**/${cgroupOf(owner.folder)}*`);
  assert.ok(pids.length >= 10, `only ${pids.length} programs`);
  assert.notEqual(groups().length, 0);
  owner.kill();
  await until("its programs have ended", () => pids.every((pid) => startTimeOf(pid) === undefined));
  await using _next = await startCluster({ nodes: 1 });
  assert.equal(existsSync(owner.folder), false);
  assert.deepEqual(groups(), []);
});

async function findPods(cluster: Cluster): Promise<void> {
  assert.equal(await askFrom(cluster, first, `http://${second}.tenant.default.svc.cluster.local:8000`), second);
  assert.equal(await askFrom(cluster, first, `http://${first}.tenant:8000`), first);
  assert.match(await askFrom(cluster, first, "http://tenant-service"), /^tenant-[01]$/);
  assert.equal((await ask(cluster, `http://${second}.tenant:8000`)).stdout, second);
  assert.match((await ask(cluster, "http://tenant-service")).stdout, /^tenant-[01]$/);
  const path = `/api/v1/namespaces/default/pods/${second}:8000/proxy/`;
  assert.equal(await cluster.controlPlane.kube.raw("GET", path), second);
}

async function serveCenter(cluster: Cluster): Promise<void> {
  const env = { KUBECONFIG: cluster.kubeconfig, HOME: cluster.controlPlane.folder };
  const { stdout } = await cluster.runInCluster([cluster.controlPlane.kubectl, "get", "nodes", "-o", "name"], {
    env,
  });
  assert.equal(stdout, "node/node1\nnode/node2\n");
}

async function refuseUnknownName(cluster: Cluster): Promise<void> {
  assert.match((await ask(cluster, "http://absent.tenant:8000")).stderr, /ENOTFOUND/);
}

async function keepKernelSettings(cluster: Cluster): Promise<void> {
  const [node] = cluster.nodes;
  const setting = "/proc/sys/kernel/panic_on_oops";
  assert.equal((await node?.exec(["cat", setting]))?.stdout, "1\n");
  assert.equal((await cluster.runInCluster(["cat", setting])).stdout, readFileSync(setting, "utf8"));
}

async function keepVolume(cluster: Cluster): Promise<void> {
  const [pod, earlier] = [await podOf(cluster, first), await starts(cluster, first)];
  await cluster.controlPlane.kube.delete(Pods, { namespace: "default", name: first }, { gracePeriodSeconds: 1 });
  await until(
    "another pod",
    async () => ![undefined, pod?.metadata.uid].includes((await podOf(cluster, first))?.metadata.uid),
  );
  await waitForTenants(cluster);
  assert.equal((await podOf(cluster, first))?.spec?.nodeName, pod?.spec?.nodeName);
  const later = await starts(cluster, first);
  assert.deepEqual(later.slice(0, -1), earlier);
}

async function partitionNode(cluster: Cluster): Promise<void> {
  const earlier = await starts(cluster, first);
  const { name } = await nodeOf(cluster, first);
  await cluster.partition(name);
  await until(`${name} is not ready`, async () => (await readiness(cluster, name)) !== "True", MINUTE);
  assert.notEqual((await ask(cluster, `http://${first}.tenant:8000`)).stdout, first);
  await cluster.heal(name);
  await until(`${name} is ready`, async () => (await readiness(cluster, name)) === "True", MINUTE);
  await waitForTenants(cluster);
  assert.deepEqual(await starts(cluster, first), earlier);
}

async function runWithoutKubelet(cluster: Cluster): Promise<void> {
  const earlier = await starts(cluster, first);
  const node = await nodeOf(cluster, first);
  await node.stopKubelet();
  assert.equal((await ask(cluster, `http://${first}.tenant:8000`)).stdout, first);
  assert.deepEqual(await starts(cluster, first), [], "it is the kubelet that lets us look into pods");
  await node.startKubelet();
  await until("the kubelet answers", async () => (await starts(cluster, first)).length > 0, MINUTE);
  assert.deepEqual(await starts(cluster, first), earlier);
}

async function cutPower(cluster: Cluster): Promise<void> {
  const earlier = await starts(cluster, first);
  const node = await nodeOf(cluster, first);
  await node.stop();
  assert.notEqual((await ask(cluster, `http://${first}.tenant:8000`)).stdout, first);
  await node.start();
  await until("the pod has started again", async () => (await starts(cluster, first)).length > earlier.length, MINUTE);
  assert.deepEqual((await starts(cluster, first)).slice(0, -1), earlier);
  await waitForTenants(cluster);
}

async function removeVolumes(cluster: Cluster): Promise<void> {
  const { kube, folder } = cluster.controlPlane;
  assert.equal(globSync(`${folder}/volumes/*`).length, TENANTS.length);
  await kube.delete(StatefulSets, { namespace: "default", name: "tenant" });
  for (const { metadata } of (await kube.list(PersistentVolumeClaims)).items)
    await kube.delete(PersistentVolumeClaims, { namespace: "default", name: metadata.name });
  await until("the volumes are gone", async () => (await kube.list(PersistentVolumes)).items.length === 0, MINUTE);
  assert.deepEqual(globSync(`${folder}/volumes/*`), []);
}

async function nodeOf(cluster: Cluster, tenant: typeof first): Promise<ClusterNode> {
  const name = (await podOf(cluster, tenant))?.spec?.nodeName;
  const node = cluster.nodes.find((each) => each.name === name);
  assert.ok(node, `${tenant} is on ${name ?? "no node"}`);
  return node;
}

async function readiness(cluster: Cluster, name: string): Promise<string | undefined> {
  const node = await cluster.controlPlane.kube.get(Nodes, { name });
  return node?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
}
