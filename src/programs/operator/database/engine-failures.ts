import type { Finding } from "../../../core/api/parts.ts";
import { engineFails } from "../../../core/planner/prerequisites/engines-start.ts";
import { FAILED_STARTS, failureText } from "../../../core/planner/view/engine-failure.ts";
import type { BdbRecord, ShardInstanceRecord } from "../../../ports/management/records.ts";

/** That engines of a database end again and again before they serve, one finding for all of them; none while none does. */
export function engineFindings(
  bdb: Pick<BdbRecord, "uid" | "name"> | undefined,
  shards: readonly ShardInstanceRecord[],
  cluster: string,
): readonly Finding[] {
  const failing = shards.flatMap(({ bdb_uid, node_uid, failed_starts: starts = 0, last_words: lastWords = "" }) => {
    if (bdb === undefined || bdb_uid !== bdb.uid || starts < FAILED_STARTS) return [];
    const node = Number(node_uid);
    return [{ node, text: failureText(bdb.name, node, { starts, lastWords }) }];
  });
  return failing.length === 0 ? [] : [engineFails(cluster, failing)];
}
