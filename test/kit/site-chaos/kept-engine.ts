import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { parseInfo } from "../../../src/ports/resp/info.ts";
import { listOf, textOf } from "../../../src/ports/resp/reply.ts";
import { startEngine, type TestEngine } from "../engines/engine.ts";
import { until } from "../time/until.ts";

const ENGINE_ARGS = ["--repl-diskless-sync-delay", "0", "--repl-backlog-size", "16mb", "--save", ""];
/** What was answered is on the disk. */
const KEPT_ARGS = ["--appendonly", "yes", "--appendfsync", "always"];
const PATIENCE = { withinMs: 60_000 };

/** Starts an engine that can be started again from the disk; what it keeps there is in the folder. */
export function startSiteEngine(version: string, folder: string): Promise<TestEngine> {
  return startEngine({ engine: version, args: [...ENGINE_ARGS, "--dir", mkdtempSync(join(folder, "engine-"))] });
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
export async function restartFromDisk(engine: TestEngine): Promise<TestEngine> {
  const [, dir] = listOf(await engine.call("CONFIG", "GET", "dir"));
  await engine.call("CONFIG", "SET", "appendfsync", "always", "appendonly", "yes");
  const isWritten = async (): Promise<boolean> => {
    const info = textOf(await engine.call("INFO", "persistence"));
    return /aof_enabled:1/.test(info) && !/aof_rewrite_(in_progress|scheduled):1/.test(info);
  };
  await until("all is on the disk", isWritten, PATIENCE);
  await engine.stop();
  const { name, host, port } = engine;
  return startEngine({ engine: name, host, port, args: [...ENGINE_ARGS, ...KEPT_ARGS, "--dir", textOf(dir ?? "")] });
}
