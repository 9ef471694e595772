import { Fault } from "#kit/base/fault";
import type { Clock } from "#kit/base/clock";
import type { DatabaseRecord, ReshapeIntent } from "../../../core/api/records.ts";
import type { DatabaseFacts } from "../../../core/planner/database/facts.ts";
import type { MoverFacts } from "../../../core/planner/database/reshape-facts.ts";
import type { MoverReply, MoverSourceStatus, MoverStatus } from "../../../ports/management/mover-control.ts";
import { faults } from "../faults.ts";
import { askMover, type MoversContext } from "./ask-mover.ts";
import type { EngineAnswers } from "./engine-answers.ts";

/** What finding out how new shards stand takes. */
export type ReshapeContext = MoversContext & { readonly clock: Clock };

/** How the new shards of a database stand; undefined while it has none. Its mover is asked only while keys are copied. */
export async function gatherReshape(
  context: ReshapeContext,
  record: DatabaseRecord,
  answers: EngineAnswers,
): Promise<DatabaseFacts["reshape"]> {
  const { reshape } = record;
  if (reshape === undefined) return undefined;
  const now = context.clock.now();
  return {
    mover: await gatherMover(context, record, reshape, answers),
    attemptMs: now.getTime() - Date.parse(reshape.since),
    mayRetire: reshape.until === undefined || reshape.until <= now.toISOString(),
  };
}

async function gatherMover(
  context: MoversContext,
  record: DatabaseRecord,
  { phase }: ReshapeIntent,
  answers: EngineAnswers,
): Promise<MoverFacts> {
  if (phase !== "copy") return { state: "unknown" };
  try {
    return moverFacts(await askMover(context, record, { op: "status" }), record, answers);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { state: "unknown" };
  }
}

function moverFacts(reply: MoverReply, record: DatabaseRecord, answers: EngineAnswers): MoverFacts {
  if (!reply.ok)
    return reply.code === faults.moverAwaited.code
      ? { state: "awaited" }
      : { state: "over", code: reply.code, why: reply.message };
  if (reply.op !== "status") return { state: "unknown" };
  const { sources, targets, failure } = reply.status;
  if (failure !== undefined) return { state: "over", code: failure.code, why: failure.message };
  return {
    state: "at-work",
    sources: sources.map((source) => ({
      id: source.id,
      state: source.state,
      touched: source.touched,
      isCurrent: isCurrent(source, record, answers),
    })),
    targets: targets.map(targetFacts),
  };
}

function targetFacts({ id, state, copiedBytes, sent, applied }: MoverStatus["targets"][number]) {
  return { id, state, copiedBytes, lagBytes: Math.max(0, sent - applied) };
}

/** The stream that the mover follows is that of the present primary, unless one of both has not said which it has. */
function isCurrent({ id, history }: MoverSourceStatus, { shards }: DatabaseRecord, answers: EngineAnswers): boolean {
  const primary = answers.get(shards.find((shard) => shard.id === id)?.primary ?? -1);
  if (history === "" || primary?.state !== "serving") return true;
  return primary.info.get("master_replid") === history;
}
