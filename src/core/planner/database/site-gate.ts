import type { DatabaseRecord } from "../../api/records.ts";
import type { Rest } from "../findings/step.ts";
import { isBeingMade, type DatabaseFacts } from "./facts.ts";
import { waitBecause, type LeaderProposal } from "./step.ts";

/** Why nothing goes on with a site that has all that a user has asked for. */
export const AWAITS_SITES =
  "its clients wait for the data of the other sites; the condition Replicating of its Active-Active database names what is missing";

/**
 * The leader's step, or the one that must come before it: no primary of a site starts with less data than it had while a proxy may let clients
 * in. Otherwise a client would miss data that other sites have, or write values that these sites take for newer.
 */
export function stepBehindGate(
  { record, lettingIn = [] }: DatabaseFacts,
  step: LeaderProposal | Rest,
): LeaderProposal | Rest {
  const begins = step.kind === "relaunch" || step.kind === "start-empty";
  if (!begins || record.activeActive === undefined || isBeingMade(record)) return step;
  if (record.awaitsSites !== true)
    return step.kind === "start-empty" || losesAll(record, step.shard) ? { kind: "await-sites" } : step;
  if (lettingIn.length === 0) return step;
  const nodes = lettingIn.join(", ");
  return waitBecause(`the proxies of nodes ${nodes} may still let clients of "${record.name}" in`);
}

/**
 * The primary starts again and has nothing of what it had: it kept nothing on disk. In a recovery that lacks nothing this was
 * decided by its first start, or what a node had set aside is there.
 */
function losesAll({ persistence, shards }: DatabaseRecord, shard: number): boolean {
  return persistence === "disabled" && shards.find(({ id }) => id === shard)?.recovery?.lacks !== "";
}
