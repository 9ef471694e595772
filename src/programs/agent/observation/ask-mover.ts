import { Fault } from "#kit/base/fault";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { MoverQuestion, MoverReply } from "../../../ports/management/mover-control.ts";
import { faults } from "../faults.ts";
import type { Peers } from "../members/peers.ts";
import type { AgentConfig } from "../runtime/config.ts";

/** What reaching the movers of all nodes takes. */
export interface MoversContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly peers: Pick<Peers, "mover">;
  /** Those of this node. */
  readonly movers: { ask(question: MoverQuestion): Promise<MoverReply> };
}

/**
 * Asks the mover of the attempt that the record names, wherever it runs: AGENT_MOVER_AWAITED is the answer before it has begun, AGENT_MOVER_GONE when it has
 * ended. Throws the client's Fault when its node does not answer.
 */
export async function askMover(
  { config, peers, movers }: MoversContext,
  { uid: bdb, reshape }: Pick<DatabaseRecord, "uid" | "reshape">,
  question: MoverQuestion["question"],
): Promise<MoverReply> {
  if (reshape === undefined) throw new Fault(faults.recordMoved, `database ${bdb} has no new shards`, { bdb });
  const asked = { bdb, attempt: reshape.attempt, question };
  const { node } = reshape.mover;
  return node === config.node ? movers.ask(asked) : peers.mover(node, asked);
}
