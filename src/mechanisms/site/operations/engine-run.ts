import { Fault } from "#kit/base/fault";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { faults } from "../../../ports/resp/faults.ts";
import { textOf } from "../../../ports/resp/reply.ts";

/** What tells this process of an engine from every other one. */
export async function runOf(client: EngineClient): Promise<string> {
  const id = /^run_id:(\w+)/m.exec(textOf(await client.call("INFO", "server")))?.[1];
  if (id === undefined) throw new Fault(faults.unexpectedReply, "INFO server has no run_id.");
  return id;
}
