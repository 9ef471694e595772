import type { Kube } from "#kit/kube/kube";
import type { InSyncSet, ShardRecord } from "../../../src/core/api/records.ts";
import { until } from "#kit/testing/until";
import type { TestCluster } from "./cluster.ts";
import { readRecord } from "./records.ts";

const PATIENCE = { withinMs: 60_000, everyMs: 20 };

/** Kills the engine of the primary of the shard at this place, and waits until a replica has taken over. */
export async function crashPrimary(cluster: TestCluster, uid: number, at = 0): Promise<void> {
  const victim = (await cluster.shards(uid)).filter(({ role }) => role === "master")[at];
  if (victim === undefined) throw new Error(`database ${uid} has no primary at ${at}`);
  process.kill(await cluster.enginePid(victim), "SIGKILL");
  const hasMoved = async (): Promise<boolean> =>
    (await cluster.shards(uid)).some(
      ({ role, shard, epoch }) => role === "master" && shard === victim.shard && (epoch ?? 0) > (victim.epoch ?? 0),
    );
  await until("a replica has taken over", hasMoved, PATIENCE);
}

/**
 * Kills the engine of the replica of the shard at this place, again when it returns, until it has left the set; then waits until it runs. One
 * that returns at once may leave the set a moment later, since its primary was asked in between: nothing shows when that is over.
 */
export async function crashReplica(kube: Kube, cluster: TestCluster, uid: number, at = 0): Promise<void> {
  const replica = (await cluster.shards(uid)).filter(({ role }) => role === "slave")[at];
  if (replica === undefined) throw new Error(`database ${uid} has no replica at ${at}`);
  let killed = 0;
  const hasLeft = async (): Promise<boolean> => {
    const pid = await cluster.enginePid(replica);
    if (pid !== 0 && pid !== killed) process.kill((killed = pid), "SIGKILL");
    return (await readRecord(kube, cluster, uid)).shards.some(({ inSync }) => inSync?.members.length === 0);
  };
  await until("the replica has left the set", hasLeft, PATIENCE);
  await until("it runs again", async () => ![0, killed].includes(await cluster.enginePid(replica)), PATIENCE);
}

/** Waits until a replica of each shard has joined, and every proxy waits for it. */
export async function becomesInSync(kube: Kube, cluster: TestCluster, uid: number): Promise<void> {
  const isMember = ({ epoch, inSync }: ShardRecord): boolean =>
    inSync?.epoch === epoch && inSync.members.length === 1 && inSync.joining?.length === 0;
  const areMembers = async (): Promise<boolean> => (await readRecord(kube, cluster, uid)).shards.every(isMember);
  await until("a replica is in the set", areMembers, PATIENCE);
}

/** The set of the epoch that holds; undefined when there is none. */
export async function inSyncSetOf(kube: Kube, cluster: TestCluster, uid: number): Promise<InSyncSet | undefined> {
  const [shard] = (await readRecord(kube, cluster, uid)).shards;
  return shard?.inSync?.epoch === shard?.epoch ? shard?.inSync : undefined;
}
