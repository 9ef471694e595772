import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { parseInfo } from "../../../src/ports/resp/info.ts";
import { textOf } from "../../../src/ports/resp/reply.ts";
import { startEngine, type TestEngine, type TestEngineOptions } from "../engines/engine.ts";
import { until } from "#kit/testing/until";

/** The kernel has what was answered, so that a kill takes nothing. What is not on the disk yet is not forgotten by the other sites. */
const ENGINE_ARGS = [
  ...["--repl-diskless-sync-delay", "0", "--repl-backlog-size", "16mb", "--save", ""],
  ...["--appendonly", "yes", "--appendfsync", "everysec"],
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

/** Ends the engine at any moment, by SIGKILL, and starts it again with what it has answered. */
export async function restartFromDisk(engine: KeptEngine): Promise<KeptEngine> {
  const isWritten = async (): Promise<boolean> => {
    const info = textOf(await engine.call("INFO", "persistence"));
    return /aof_enabled:1/.test(info) && !/aof_rewrite_(in_progress|scheduled):1/.test(info);
  };
  await until("all is on the disk", isWritten, PATIENCE);
  await engine.stop();
  const { name, host, port, folder } = engine;
  return startIn(folder, { engine: name, host, port });
}

async function startIn(folder: string, options: Omit<TestEngineOptions, "args">): Promise<KeptEngine> {
  return { ...(await startEngine({ ...options, args: [...ENGINE_ARGS, "--dir", folder] })), folder };
}
