import { LABELS, PORTS, clusterNames } from "../../src/core/api/names.ts";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Pods, Secrets } from "#kit/kube/builtin";
import type { Kube, Ref } from "#kit/kube/kube";
import { isTrue } from "#kit/kube/conditions";
import { managementClient } from "../../src/ports/management/client.ts";
import type { ManagementClient } from "../../src/ports/management/client.ts";
import { connectEngine } from "../../src/ports/resp/engine-client.ts";
import { loginOf, nodeAddresses } from "../../test/kit/world/cluster-login.ts";
import { until } from "#kit/testing/until";
import { PATIENCE, REC, isRunning } from "../world/built-world.ts";

/** How long `act` took, in seconds. */
export async function secondsOf(act: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await act();
  return (performance.now() - began) / 1000;
}

/** A client of the management API of the cluster; close it. */
export async function managementOf(kube: Kube): Promise<ManagementClient> {
  const secret = await kube.get(Secrets, { name: clusterNames.nodeTlsSecret(REC.name), namespace: REC.namespace });
  const addresses = await nodeAddresses(kube, REC);
  return managementClient({
    addresses: () => addresses,
    port: PORTS.management,
    serverName: clusterNames.dnsName(REC.name, REC.namespace),
    ca: Buffer.from(secret?.data?.["ca.crt"] ?? "", "base64").toString(),
    timeoutMs: 20_000,
    ...(await loginOf(kube, REC)),
  });
}

/** Moves every primary, the leadership and all clients off a node, as a roll does. */
export async function evacuate(management: ManagementClient, uid: number): Promise<void> {
  const { action_uid: action } = await management.call("maintenanceOn", {
    params: { uid },
    body: { demote_node: true },
  });
  const isOver = async (): Promise<boolean> => {
    const { status } = await management.call("action", { params: { uid: action } });
    if (status === "failed") throw new Error(`node ${uid} could not be evacuated`);
    return status === "completed";
  };
  await until(`node ${uid} is evacuated`, isOver, PATIENCE);
}

/** The node serves again. */
export async function back(management: ManagementClient, uid: number): Promise<void> {
  await management.call("maintenanceOff", { params: { uid } });
  const serves = async (): Promise<boolean> => {
    const node = (await management.call("nodes")).find((one) => one.uid === uid);
    return node?.accepts_clients === true && !node.maintenance;
  };
  await until(`node ${uid} serves`, serves, PATIENCE);
}

/** Replaces every pod of the cluster by another setting of it; the seconds from each pod's creation until it was ready. */
export async function roll(kube: Kube): Promise<readonly number[]> {
  const labelSelector = `${LABELS.cluster}=${REC.name},${LABELS.role}=node`;
  const list = async () => (await kube.list(Pods, { namespace: REC.namespace, labelSelector })).items;
  const old = new Set((await list()).map(({ metadata }) => metadata.uid));
  const began = new Map<string, number>();
  const took = new Map<string, number>();
  const limits = { cpu: "3", memory: "64Gi" };
  const spec = { storeEnterpriseNodeResources: { requests: { cpu: "1", memory: "64Gi" }, limits } };
  await kube.patch(Clusters, REC, { type: "merge", body: { spec } });
  const isOver = async (): Promise<boolean> => {
    const pods = await list();
    for (const { metadata, status } of pods) {
      if (old.has(metadata.uid)) continue;
      const since = began.get(metadata.uid) ?? performance.now();
      began.set(metadata.uid, since);
      if (!took.has(metadata.uid) && isTrue(status?.conditions, "Ready"))
        took.set(metadata.uid, (performance.now() - since) / 1000);
    }
    return pods.length === 3 && took.size === 3 && (await isRunning(kube));
  };
  await until("every pod is another one", isOver, { ...PATIENCE, everyMs: 20 });
  return [...took.values()];
}

/** A database that holds so many values of one MiB. */
export async function filled(kube: Kube, name: string, mebibytes: number): Promise<void> {
  const ref: Ref & { readonly namespace: string } = { name, namespace: REC.namespace };
  await kube.create(Databases, { metadata: ref, spec: { memorySize: `${2 * mebibytes}MB` } });
  await until(`${name} is active`, () => hasStatus(kube, ref), PATIENCE);
  const redb = await kube.get(Databases, ref);
  const secret = await kube.get(Secrets, { ...ref, name: redb?.status?.databaseSecretName ?? "" });
  const text = (key: string): string => Buffer.from(secret?.data?.[key] ?? "", "base64").toString();
  const [host = ""] = await nodeAddresses(kube, REC);
  const client = await connectEngine({
    host,
    port: Number(text("port")),
    password: text("password"),
    timeoutMs: 60_000,
  });
  const value = Buffer.alloc(1024 * 1024, "x");
  for (let key = 0; key < mebibytes; key++) await client.call("SET", `k${key}`, value);
  client.close();
}

async function hasStatus(kube: Kube, ref: Ref): Promise<boolean> {
  return (await kube.get(Databases, ref))?.status?.status === "active";
}

/** Gives a database a replica, and waits until that is in sync. */
export async function replicate(kube: Kube, management: ManagementClient, name: string): Promise<void> {
  const ref = { name, namespace: REC.namespace };
  const uid = Number((await kube.get(Databases, ref))?.status?.databaseUID);
  await kube.patch(Databases, ref, { type: "merge", body: { spec: { replication: true } } });
  const isWhole = async (): Promise<boolean> => {
    const shards = await management.call("bdbShards", { params: { uid } });
    return shards.length === 2 && shards.every(({ in_sync }) => in_sync);
  };
  await until(`${name} has a replica in sync`, isWhole, PATIENCE);
}
