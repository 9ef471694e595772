import { Fault } from "#kit/base/fault";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { listOf, textOf, type Reply } from "../../../ports/resp/reply.ts";
import type { TimedAnswer } from "./pacing.ts";

/** Asks the engine, and says for how long it did nothing else, by its own clock: the answer may take longer to come on a machine that is busy. */
export async function askEngine(client: EngineClient, ...command: readonly string[]): Promise<TimedAnswer<Reply>> {
  // an engine executes at once what it reads at once
  const [began, outcome = null, ended] = await client.callAll([["TIME"], command, ["TIME"]], "latin1");
  if (outcome instanceof Fault) throw outcome;
  return { answer: outcome, tookMs: instantOf(ended) - instantOf(began) };
}

/** Seconds and microseconds; an engine that does not say them has taken no time. */
function instantOf(reply: Reply | Fault | undefined): number {
  if (reply === undefined || reply instanceof Fault) return 0;
  const [seconds = 0, micros = 0] = listOf(reply).map((each) => Number(textOf(each)));
  return seconds * 1_000 + micros / 1_000;
}
