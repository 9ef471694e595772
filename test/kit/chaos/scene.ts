import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "#kit/base/fault";
import { NODE_PATHS } from "../../../src/core/api/names.ts";
import type { DatabaseRecord } from "../../../src/core/api/records.ts";
import type { BdbCreate, BdbRecord } from "../../../src/ports/management/records.ts";
import type { Kube } from "#kit/kube/kube";
import { until } from "#kit/testing/until";
import { startTestCluster, type TestCluster } from "../world/cluster.ts";
import { filledDatabase, type FilledDatabase } from "../world/filled-database.ts";
import { licenseCluster } from "../world/licensed.ts";
import { kubeOf, readRecord } from "../world/records.ts";
import type { Schedule } from "./schedule.ts";
import { makeNetwork, type Network } from "./network.ts";
import { preloadShim, shimOf, type Shim } from "./shim.ts";

export const NODES = [1, 2, 3] as const;
/** What the databases may take, and enough for everything that a seed writes, several times. */
const VOLUME_MIB = 640;
/** The same for each of many shards. */
const SHARD_VOLUME_MIB = 160;

/** Seeds are played on busy machines as well; what is measured begins when all is whole. */
const PATIENCE_MS = 90_000;

/** What is played with: three nodes with network, clock and disk of their own, and two databases. */
export interface Scene extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly network: Network;
  readonly shims: ReadonlyMap<number, Shim>;
  /** The database that clients write to, which moves and is upgraded. */
  readonly uid: number;
  readonly port: number;
  /** It has several. */
  readonly hasShards: boolean;
  /** A database whose memory is full, which moves as the nodes are left. */
  readonly full: { readonly uid: number; readonly port: number };
  /** A database that no client writes to. */
  readonly bystander: FilledDatabase;
  /** Nodes that are down because a fault wants it. */
  readonly down: Set<number>;
  /** Where the data of a node is. */
  volume(node: number): string;
  readonly kube: Kube;
  /** Of the first database, as it is stored now. */
  record(): Promise<DatabaseRecord>;
}

/** Three databases with a replica each; the first alone may have several shards. */
function instancesOf({ shards_count = 1 }: Partial<BdbCreate>): number {
  return 2 * (shards_count + 2);
}

/** Fewer than the keys of its client. */
const FULL_BYTES = 12_000_000;

/** What the first database may take, with so many elements in collections besides. */
const MEMORY_BYTES = 50_000_000;
/** The same of each of many shards. */
const SHARD_BYTES = 25_000_000;
const ELEMENT_BYTES = 300;
/** A volume holds the data several times. */
const ELEMENTS_PER_MIB = 500;

/** Makes it; `folder` is for files of the run, `settings` are those of both databases. This process is alone in its namespaces. */
export async function startScene(
  folder: string,
  settings: Partial<BdbCreate>,
  asked: Pick<Schedule, "elements" | "eviction">,
): Promise<Scene> {
  const { elements } = asked;
  await using stack = new AsyncDisposableStack();
  const network = makeNetwork(NODES.length);
  preloadShim(folder);
  const shims = new Map<number, Shim>(NODES.map((uid) => [uid, shimOf(folder, uid)]));
  const volume = (root: string): string => join(root, NODE_PATHS.data);
  const cluster = stack.use(
    await startTestCluster({
      patienceMs: PATIENCE_MS,
      network: {
        address: network.address,
        enter: (uid) => [...network.enter(uid), ...(shims.get(uid)?.enter ?? [])],
        prepare: (_uid, root) => {
          mountVolume(volume(root), elements, settings.shards_count ?? 1);
          stack.defer(() => void execFileSync("umount", ["-l", volume(root)]));
        },
      },
    }),
  );
  const kube = stack.use(kubeOf(cluster));
  await licenseCluster(cluster, kube, instancesOf(settings), PATIENCE_MS);
  const made = await makeDatabases(cluster, settings, asked);
  const owned = stack.move();
  return {
    cluster,
    network,
    shims,
    ...made,
    hasShards: (settings.shards_count ?? 1) > 1,
    kube,
    down: new Set(),
    volume: (node) => volume(cluster.root(node)),
    record: () => readRecord(kube, cluster, made.uid),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function makeDatabases(
  cluster: TestCluster,
  { shards_count = 1, ...settings }: Partial<BdbCreate>,
  { elements, eviction }: Pick<Schedule, "elements" | "eviction">,
): Promise<Pick<Scene, "uid" | "port" | "full" | "bystander">> {
  const body = { replication: true, data_persistence: "aofEverySecond", redis_version: "7.2", ...settings } as const;
  const create = (database: BdbCreate): Promise<BdbRecord> => makeDatabase(cluster, database);
  const memory_size = Math.max(MEMORY_BYTES, shards_count * SHARD_BYTES) + elements * ELEMENT_BYTES;
  const { uid, port } = await create({ ...body, name: "chaos", memory_size, shards_count });
  const full = await create({ ...body, name: "full", memory_size: FULL_BYTES, eviction_policy: eviction });
  const bystander = await filledDatabase({ ...cluster, create }, { ...body, name: "bystander" });
  return { uid, port, full, bystander };
}

function mountVolume(path: string, elements: number, shards: number): void {
  const size = `size=${Math.max(VOLUME_MIB, shards * SHARD_VOLUME_MIB) + Math.ceil(elements / ELEMENTS_PER_MIB)}m`;
  mkdirSync(path, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", size, "tmpfs", path]);
}

/** Also where a busy machine loses the answer: the database may be there then. */
async function makeDatabase(cluster: TestCluster, body: BdbCreate): Promise<BdbRecord> {
  const { name } = body;
  let made: BdbRecord | undefined;
  let last = "";
  const isMade = async (): Promise<boolean> => {
    try {
      made = (await cluster.client.call("bdbs")).find((one) => one.name === name) ?? (await cluster.create(body));
    } catch (error) {
      last = messageOf(error);
    }
    return made?.status === "active";
  };
  await until(`database ${name} is active`, isMade, { withinMs: PATIENCE_MS }).catch((error: unknown) => {
    throw new Error(`${messageOf(error)}; ${last}`, { cause: error });
  });
  if (made === undefined) throw new Error(`there is no database ${name}`);
  return made;
}
