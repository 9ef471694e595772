import { startService } from "../engines/service.ts";
import { startTestCluster, type TestCluster } from "../world/cluster.ts";
import { licenseCluster } from "../world/licensed.ts";
import { acceptingNodes, untilSettled, upgradeDatabase } from "../world/maintenance.ts";
import { kubeOf } from "../world/records.ts";
import { awaitShards } from "../world/reshaping.ts";
import type { Library, LibraryName } from "./libraries.ts";
import { movedOf, untilAtWork, type Moved } from "./moved.ts";
import { startRecorder, type Attempts } from "./recorders.ts";

/** How a client knows the database: by one address, or as a cluster of nodes. */
export type ClientMode = "plain" | "cluster";

/** What one client saw while its database got other numbers of shards, and then another version. */
export interface ReshapedClient extends Moved {
  readonly mode: ClientMode;
}

/** The libraries whose clients for a cluster are played. */
export const IN_CLUSTER_MODE: readonly LibraryName[] = [
  "ioredis",
  "node-redis",
  "redis-py",
  "go-redis",
  "jedis",
  "lettuce",
];

/** Plays clients of each library, with the settings of docs/upgrades.md and in cluster mode, while 1 shard becomes 4, then 3, and goes to another version. */
export async function playReshapes(libraries: readonly Library[]): Promise<readonly ReshapedClient[]> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await startTestCluster());
  using kube = kubeOf(cluster);
  await licenseCluster(cluster, kube, 20, 20_000);
  const options = { memory_size: 200_000_000, shards_count: 1, replication: true, oss_cluster: true } as const;
  const { uid, port } = await cluster.create({ name: "reshaped", redis_version: "7.2", ...options });
  const service = stack.use(await startService(port, () => acceptingNodes(cluster)));
  const clients = libraries.flatMap((library, at) => {
    const node = { host: cluster.address((at % 3) + 1), port };
    const start = (mode: ClientMode, place: typeof node, attempts: Attempts) => ({
      mode,
      name: library.name,
      recorder: stack.use(startRecorder(library, place, `${library.name}-${mode}`, attempts)),
    });
    const plain = start("plain", service, "several");
    return IN_CLUSTER_MODE.includes(library.name) ? [plain, start("cluster", node, "cluster")] : [plain];
  });
  await untilAtWork(clients, 50);
  for (const change of [4, 3, "8.0"] as const) {
    await (typeof change === "number" ? reshape(cluster, kube, uid, change) : upgradeDatabase(cluster, uid, change));
    await untilAtWork(clients, 20);
  }
  await Promise.all(clients.map(({ recorder }) => recorder.stop()));
  return clients.map((client) => ({ ...movedOf(client), mode: client.mode }));
}

async function reshape(
  cluster: TestCluster,
  kube: Parameters<typeof awaitShards>[1],
  uid: number,
  shards: number,
): Promise<void> {
  await untilSettled(cluster, uid);
  await cluster.client.call("updateBdb", { params: { uid }, body: { shards_count: shards } });
  await awaitShards(cluster, kube, uid, shards);
}
