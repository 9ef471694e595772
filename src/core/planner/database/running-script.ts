import type { ShardRecord } from "../../api/records.ts";
import { primaryOf, shardName } from "./facts.ts";
import type { DatabaseFacts } from "./facts.ts";
import { waitBecause, type LeaderProposal } from "./step.ts";
import { describeRequest } from "./waiting-requests.ts";
import type { WaitingRequest } from "./waiting-requests.ts";

/** How long a move waits for a script before it ends the script, in milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * A primary that runs a script lives, and its clients can end the script. A move that was asked for waits for a minute: then
 * it ends the script itself, which an engine allows as long as the script has not written.
 */
export function scriptStep(
  { record, nodes }: Pick<DatabaseFacts, "record" | "nodes">,
  shard: ShardRecord,
  script: WaitingRequest | undefined,
): LeaderProposal {
  const { node } = primaryOf(shard);
  const isLeft = nodes.some(({ uid, draining }) => uid === node && draining);
  if ((isLeft || record.upgrade !== undefined) && (script?.ageMs ?? 0) >= PATIENCE_MS)
    return { kind: "end-script", shard: shard.id };
  const what = script === undefined ? "" : `: ${describeRequest(script)}`;
  return waitBecause(
    `the primary of ${shardName(record, shard.id)} on node ${node} runs a script and nothing else${what}; SCRIPT KILL or FUNCTION KILL ends it`,
  );
}
