import assert from "node:assert/strict";
import { until } from "#kit/testing/until";
import type { TestCluster } from "./cluster.ts";

const PATIENCE = { withinMs: 60_000, everyMs: 50 };

/** The addresses behind a Service: each new connection goes to a node that accepts clients. */
export async function acceptingNodes(cluster: TestCluster): Promise<readonly string[]> {
  const nodes = await cluster.client.call("nodes");
  return nodes.filter((node) => node.accepts_clients && !node.maintenance).map(({ addr }) => addr);
}

/** Takes primaries and clients off a node. */
export async function evacuate(cluster: TestCluster, node: number): Promise<void> {
  const body = { demote_node: true };
  const { action_uid } = await cluster.client.call("maintenanceOn", { params: { uid: node }, body });
  await completed(cluster, action_uid);
}

/** The node serves again. */
export async function comeBack(cluster: TestCluster, node: number): Promise<void> {
  const params = { uid: node };
  await cluster.client.call("maintenanceOff", { params });
  const accepts = async (): Promise<boolean> => {
    const { maintenance, accepts_clients } = await cluster.client.call("node", { params });
    return accepts_clients && !maintenance;
  };
  await until(`node ${node} accepts clients again`, accepts, PATIENCE);
}

/** Takes the database to the version. */
export async function upgradeDatabase(cluster: TestCluster, uid: number, version: string): Promise<void> {
  const body = { store_version: version };
  const { action_uid } = await cluster.client.call("upgradeBdb", { params: { uid }, body });
  await completed(cluster, action_uid);
}

/** The database is active with a replica, and every replica is in sync. */
export async function untilSettled(cluster: TestCluster, uid: number): Promise<void> {
  const isSettled = async (): Promise<boolean> => {
    const { status } = await cluster.client.call("bdb", { params: { uid } });
    const shards = await cluster.shards(uid);
    return status === "active" && shards.length > 1 && shards.every(({ in_sync }) => in_sync);
  };
  await until(`every replica of database ${uid} is in sync`, isSettled, PATIENCE);
}

async function completed(cluster: TestCluster, action: string): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    const { status } = await cluster.client.call("action", { params: { uid: action } });
    assert.notEqual(status, "failed");
    return status === "completed";
  };
  await until(`action ${action} is completed`, isDone, PATIENCE);
}
