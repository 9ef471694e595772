import { Fault } from "#kit/base/fault";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { faults } from "../../../ports/resp/faults.ts";
import { parseInfo } from "../../../ports/resp/info.ts";
import { textOf } from "../../../ports/resp/reply.ts";

/** What tells this process of an engine from every other one. */
export async function runOf(client: EngineClient): Promise<string> {
  const id = /^run_id:(\w+)/m.exec(textOf(await client.call("INFO", "server")))?.[1];
  if (id === undefined) throw new Fault(faults.unexpectedReply, "INFO server has no run_id.");
  return id;
}

/**
 * Whether the engine keeps the stream behind that place for a reader that has attached there and reads nothing: until half of what it keeps for replicas
 * that were away is full, at no cost of its own.
 */
export async function hasRoomBehind(client: EngineClient, offset: number): Promise<boolean> {
  const info = parseInfo(textOf(await client.call("INFO", "replication")));
  return Number(info.get("master_repl_offset")) - offset < Number(info.get("repl_backlog_size")) / 2;
}
