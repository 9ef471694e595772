import { randomBytes } from "node:crypto";
import { callEngine, connectEngine, type EngineOptions } from "../../../src/ports/resp/engine-client.ts";
import { parseInfo, type Info } from "../../../src/ports/resp/info.ts";
import { textOf } from "../../../src/ports/resp/reply.ts";
import { until } from "#kit/testing/until";
import type { TestCluster } from "./cluster.ts";
import { enginesOf } from "./engine-access.ts";
import { nodeOf, primaryOf } from "./shards.ts";

const PATIENCE = { withinMs: 300_000, everyMs: 50 };
/** Bytes of values: many small ones and a few large ones, as they come. */
const SIZES = [100, 700, 3_000, 12_000];
const IN_FLIGHT = 64;
const BYTES = randomBytes(1 << 20);

/** A database that is kept full: what does not fit is evicted. */
export interface FullDatabase {
  readonly uid: number;
  /** Ends every one of its replicas and waits until they are in sync again: each takes in all data. */
  resync(): Promise<void>;
  /** Has every copy write a snapshot, all at once, and waits until it is written. */
  save(): Promise<void>;
}

/** Makes a database of `bytes` and writes until it is full. */
export async function fullDatabase(cluster: TestCluster, name: string, bytes: number): Promise<FullDatabase> {
  const body = { name, memory_size: bytes, replication: true, eviction_policy: "allkeys-random" } as const;
  const { uid } = await cluster.create(body);
  await overwrite(cluster, uid, { bytes: 1.5 * bytes });
  return {
    uid,
    resync: async () => {
      const replicas = (await cluster.shards(uid)).filter(({ role }) => role === "slave");
      const pids = await Promise.all(replicas.map((replica) => cluster.enginePid(replica)));
      for (const pid of pids) process.kill(pid, "SIGKILL");
      const again = async (): Promise<boolean> => {
        const now = await Promise.all(replicas.map((replica) => cluster.enginePid(replica).catch(() => 0))); // its agent starts it
        if (now.some((pid) => pid === 0 || pids.includes(pid))) return false;
        return (await cluster.shards(uid)).every(({ in_sync }) => in_sync);
      };
      await until("the replicas are in sync again", again, PATIENCE);
    },
    save: async () => {
      const engines = await enginesOf(cluster, uid);
      await Promise.all(engines.map(saved));
    },
  };
}

/** Writes keys of a database in turn, until so many bytes are written or the signal aborts. How many writes were refused. */
export async function overwrite(
  cluster: TestCluster,
  uid: number,
  { bytes = Number.POSITIVE_INFINITY, signal }: { readonly bytes?: number; readonly signal?: AbortSignal },
): Promise<number> {
  const { port, memory_size } = await cluster.client.call("bdb", { params: { uid } });
  const host = cluster.address(nodeOf(primaryOf(await cluster.shards(uid))));
  const client = await connectEngine({ host, port, timeoutMs: 30_000 });
  const keys = Math.ceil((1.3 * memory_size * SIZES.length) / SIZES.reduce((sum, size) => sum + size, 0));
  let [refused, written] = [0, 0];
  for (let turn = 0; written < bytes && signal?.aborted !== true; turn++) {
    const writes = Array.from({ length: IN_FLIGHT }, (_, one) => {
      // far from one another, so that each write needs a page of its own
      const key = ((turn * IN_FLIGHT + one) * 7_919) % keys;
      const size = SIZES[key % SIZES.length] ?? 0;
      const at = (turn * 131) % (BYTES.length - size);
      written += size;
      return client.call("SET", `key:${key}`, BYTES.toString("latin1", at, at + size)).catch(() => {
        refused += 1; // counted, and looked at by the caller
      });
    });
    await Promise.all(writes);
  }
  client.close();
  return refused;
}

async function saved(engine: EngineOptions): Promise<void> {
  const info = async (): Promise<Info> => parseInfo(textOf(await callEngine(engine, "INFO", "persistence")));
  const rests = async (): Promise<boolean> => (await info()).get("rdb_bgsave_in_progress") === "0";
  await until("no snapshot is written", rests, PATIENCE);
  await callEngine(engine, "BGSAVE");
  await until("the snapshot is written", rests, PATIENCE);
  const status = (await info()).get("rdb_last_bgsave_status");
  if (status !== "ok") throw new Error(`the snapshot of ${engine.host}:${engine.port} ended with ${status}`);
}
