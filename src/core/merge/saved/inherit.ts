import type { MergedState } from "../state/merged-state.ts";
import type { PendingApplies } from "./pending-applies.ts";
import type { PendingSummary, Remains } from "./saved-site.ts";
import { covers, coversAll, type VersionVector } from "../operations/version-vector.ts";

/**
 * Lets a site await the transactions that the former process had given to the engine, except those that the engine had shown to have applied;
 * `state`: with all of them taken in. Repairs that were due then are due again, where they are known.
 */
export function inherit(
  to: PendingApplies,
  { saved, log, due }: Remains,
  seen: VersionVector,
  state: MergedState,
): void {
  const logged = log.flatMap((entry) => (entry.kind === "applied" ? entry.operation : []));
  for (const operation of [...(saved?.pending ?? []), ...logged])
    if (!covers(seen, operation.dot)) to.addOperation(operation, state.partsOf(operation));
  const ends = log.flatMap((entry) => (entry.kind === "summary" && entry.isLast ? entry : []));
  const summaries = ends.map(({ mark, summary: { received } }): PendingSummary => ({ mark, received }));
  for (const summary of [...(saved?.summaries ?? []), ...summaries])
    if (!coversAll(seen, summary.received)) to.addSummary(summary, [], false);
  // which keys a summary was writing is not saved
  const hasSummary = (saved?.summaries ?? []).length > 0 || log.some(({ kind }) => kind === "summary");
  to.due.inherit(hasSummary ? undefined : due);
}
