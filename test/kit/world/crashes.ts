import type { Kube } from "#kit/kube/kube";
import type { InSyncSet } from "../../../src/core/api/records.ts";
import { until } from "#kit/testing/until";
import type { TestCluster } from "./cluster.ts";
import { readRecord } from "./records.ts";
import { primaryOf } from "./shards.ts";

const PATIENCE = { withinMs: 60_000, everyMs: 20 };

/** Kills the engine of the primary, and waits until a replica has taken over. */
export async function crashPrimary(cluster: TestCluster, uid: number): Promise<void> {
  const params = { uid };
  const { epoch } = await cluster.client.call("bdb", { params });
  process.kill(await cluster.enginePid(primaryOf(await cluster.shards(uid))), "SIGKILL");
  const hasMoved = async () => (await cluster.client.call("bdb", { params })).epoch > epoch;
  await until("a replica has taken over", hasMoved, PATIENCE);
}

/** Kills the engine of the replica, and waits until it runs again. */
export async function crashReplica(cluster: TestCluster, uid: number): Promise<void> {
  const replica = (await cluster.shards(uid)).find(({ role }) => role === "slave");
  if (replica === undefined) throw new Error(`database ${uid} has no replica`);
  const pid = await cluster.enginePid(replica);
  process.kill(pid, "SIGKILL");
  await until("it runs again", async () => ![0, pid].includes(await cluster.enginePid(replica)), PATIENCE);
}

/** Waits until a replica has joined, and every proxy waits for it. */
export async function becomesInSync(kube: Kube, cluster: TestCluster, uid: number): Promise<void> {
  const isMember = async (): Promise<boolean> => {
    const set = await inSyncSetOf(kube, cluster, uid);
    return set?.members.length === 1 && set.joining?.length === 0;
  };
  await until("a replica is in the set", isMember, PATIENCE);
}

/** The set of the epoch that holds; undefined when there is none. */
export async function inSyncSetOf(kube: Kube, cluster: TestCluster, uid: number): Promise<InSyncSet | undefined> {
  const [shard] = (await readRecord(kube, cluster, uid)).shards;
  return shard?.inSync?.epoch === shard?.epoch ? shard?.inSync : undefined;
}
