import { until } from "#kit/testing/until";
import { startTestCluster, type TestCluster } from "../../test/kit/world/cluster.ts";
import { licenseCluster } from "../../test/kit/world/licensed.ts";
import { kubeOf } from "../../test/kit/world/records.ts";
import { nodeOf, primaryOf } from "../../test/kit/world/shards.ts";
import { underLoad, type Seen } from "./load.ts";

/** The nodes have little to do for who asks, while it is measured. */
const PATIENCE = { withinMs: 60_000, everyMs: 50 };
const NODES = [1, 2, 3] as const;

/** A cluster of three real agents with one replicated database. */
export interface Scene extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly uid: number;
  readonly port: number;
  primaryNode(): Promise<number>;
  /** Waits until primary and replica are in sync and every node accepts clients. */
  whole(): Promise<void>;
  /** Runs `act` while clients of these nodes write without a pause, and says what they saw. */
  underLoad(nodes: readonly number[], act: () => Promise<void>): Promise<Seen>;
  /** Waits until an action has ended; fails when it failed. */
  completed(action: string): Promise<void>;
}

/** How the database differs from one of a single small shard. */
export interface SceneSettings {
  readonly durability?: "async" | "sync";
  readonly memory_size?: number;
  readonly shards_count?: number;
  /** It may be had. */
  readonly shardsLimit?: number;
}

/** Starts the cluster, and makes a database of this version, with these settings besides. */
export async function startScene(
  version: "7.2" | "8.0" | "8.2",
  { shardsLimit, ...settings }: SceneSettings = {},
): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await startTestCluster());
  if (shardsLimit !== undefined) {
    using kube = kubeOf(cluster);
    await licenseCluster(cluster, kube, shardsLimit, PATIENCE.withinMs);
  }
  const { uid, port } = await cluster.create({
    name: "bench",
    memory_size: 100_000_000,
    replication: true,
    redis_version: version,
    ...settings,
  });
  const owned = stack.move();
  return {
    cluster,
    uid,
    port,
    primaryNode: async () => nodeOf(primaryOf(await cluster.shards(uid))),
    whole: () => until("the database is whole", () => isWhole(cluster, uid), PATIENCE),
    underLoad: (nodes, act) => underLoad({ hosts: nodes.map((node) => cluster.address(node)), port }, act),
    completed: (action) => until(`action ${action} is completed`, () => isCompleted(cluster, action), PATIENCE),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** All nodes but this one. */
export function nodesBeside(node: number): readonly number[] {
  return NODES.filter((other) => other !== node);
}

async function isWhole(cluster: TestCluster, uid: number): Promise<boolean> {
  const nodes = await cluster.client.call("nodes");
  const { status, sync_state = "in-sync" } = await cluster.client.call("bdb", { params: { uid } });
  const shards = await cluster.shards(uid);
  return (
    nodes.every(({ accepts_clients, maintenance }) => accepts_clients && !maintenance) &&
    status === "active" &&
    sync_state === "in-sync" &&
    shards.length > 0 &&
    shards.length % 2 === 0 &&
    shards.every(({ in_sync }) => in_sync)
  );
}

async function isCompleted(cluster: TestCluster, action: string): Promise<boolean> {
  const { status } = await cluster.client.call("action", { params: { uid: action } });
  if (status === "failed") throw new Error(`action ${action} failed`);
  return status === "completed";
}
