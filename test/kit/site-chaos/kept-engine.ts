import { mkdtempSync } from "node:fs";
import { glob, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { APART_IN_STREAMS } from "../../../src/core/merge/operations/apart-in-streams.ts";
import { noteSizes } from "#kit/files/noted-sizes";
import { parseInfo } from "../../../src/ports/resp/info.ts";
import { textOf } from "../../../src/ports/resp/reply.ts";
import { startEngine, type TestEngine, type TestEngineOptions } from "../engines/engine.ts";
import { until } from "#kit/testing/until";

/** What is not on the disk yet is not forgotten by the other sites. */
const ENGINE_ARGS = [
  ...["--repl-diskless-sync-delay", "0", "--repl-backlog-size", "16mb", "--save", ""],
  ...["--appendonly", "yes", "--appendfsync", "everysec"],
  // as agents start the engines of a site
  ...Object.entries(APART_IN_STREAMS).flatMap(([name, value]) => [`--${name}`, value]),
];
const PATIENCE = { withinMs: 60_000 };

/** An engine that can be started again from its disk. */
export interface KeptEngine extends TestEngine {
  /** Where it keeps its data. */
  readonly folder: string;
}

/** Starts one; what it keeps is below the folder. */
export function startSiteEngine(version: string, folder: string): Promise<KeptEngine> {
  return startIn(mkdtempSync(join(folder, "engine-")), { engine: version });
}

/** Resolves when the replica of an engine that was started again has all data of that: its stream is another one, with other offsets. */
export async function hasFollowed(replica: TestEngine, primary: TestEngine): Promise<void> {
  const infoOf = async (engine: TestEngine) => parseInfo(textOf(await engine.call("INFO", "replication")));
  const isLinked = async (): Promise<boolean> => {
    const [own, there] = await Promise.all([infoOf(replica), infoOf(primary)]);
    return own.get("master_link_status") === "up" && own.get("master_replid") === there.get("master_replid");
  };
  await until("the replica gets all data", isLinked, PATIENCE);
  const { offset } = await primary.replication();
  await until("the replica has every write", async () => (await replica.replication()).offset >= offset, PATIENCE);
}

/** When writes were answered that the disk has lost, by one clock. */
export interface Loss {
  readonly from: number;
  readonly to: number;
}

/** As `restartFromDisk`, without what it has answered in the time before: the disk does not have that. What else ends with it is ended by `also`. */
export async function losePower(
  engine: KeptEngine,
  lostMs: number,
  also: () => Promise<void>,
): Promise<{ readonly engine: KeptEngine; readonly loss: Loss }> {
  await isOnDisk(engine);
  await handToKernel(engine);
  const [file] = (await Array.fromAsync(glob(join(engine.folder, "appendonlydir", "*.incr.aof")))).toSorted(byNumber);
  if (file === undefined) throw new Error(`${engine.name} appends to no file`);
  const from = performance.now();
  const { size } = await stat(file);
  await sleep(lostMs);
  await Promise.all([engine.stop(), also()]);
  const to = performance.now();
  await truncate(file, size);
  return { engine: await startAgain(engine), loss: { from, to } };
}

/** The last one first. */
function byNumber(a: string, b: string): number {
  return b.localeCompare(a, "en", { numeric: true });
}

/** Has it evict some of what expires soonest, if it has much of that: as an engine that is full for a moment. */
export async function evictSome(engine: KeptEngine): Promise<void> {
  const keys = await engine.call("EVAL", "return #redis.call('KEYS', 'cache:*')", "0");
  if (Number(keys) < EVICTED_OF) return;
  const used = /used_memory:(\d+)/.exec(textOf(await engine.call("INFO", "memory")))?.[1];
  const client = await engine.connect();
  try {
    const policy = ["CONFIG", "SET", "maxmemory-policy", "volatile-ttl", "maxmemory-samples", "64"];
    const full = ["CONFIG", "SET", "maxmemory", String(Number(used) - EVICTED_BYTES)];
    await client.callAll([policy, full, ["PING"], ["CONFIG", "SET", "maxmemory", "0"]], "utf8");
  } finally {
    client.close();
  }
}

const [EVICTED_OF, EVICTED_BYTES] = [60, 8_192];

/** Ends the engine at any moment, by SIGKILL, and starts it again with all that it has answered. */
export async function restartFromDisk(engine: KeptEngine): Promise<KeptEngine> {
  await isOnDisk(engine);
  await handToKernel(engine);
  await engine.stop();
  return startAgain(engine);
}

/**
 * From now on the kernel has what the engine answers, so that a kill takes nothing of it. One that syncs each second holds back what it has to write
 * while the disk still syncs: for two seconds, and longer with a slow disk.
 */
async function handToKernel(engine: KeptEngine): Promise<void> {
  await engine.call("CONFIG", "SET", "appendfsync", "no");
}

async function isOnDisk(engine: KeptEngine): Promise<void> {
  const isWritten = async (): Promise<boolean> => {
    const info = textOf(await engine.call("INFO", "persistence"));
    return /aof_enabled:1/.test(info) && !/aof_rewrite_(in_progress|scheduled):1/.test(info);
  };
  await until("all is on the disk", isWritten, PATIENCE);
}

function startAgain({ name, host, port, folder }: KeptEngine): Promise<KeptEngine> {
  return startIn(folder, { engine: name, host, port });
}

async function startIn(folder: string, options: Omit<TestEngineOptions, "args">): Promise<KeptEngine> {
  await noteSizes(join(folder, "appendonlydir")); // as an agent does
  return { ...(await startEngine({ ...options, args: [...ENGINE_ARGS, "--dir", folder] })), folder };
}
