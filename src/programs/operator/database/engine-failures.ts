import type { Finding } from "../../../core/api/parts.ts";
import { engineFails } from "../../../core/planner/prerequisites/engines-start.ts";
import { engineCrashes } from "../../../core/planner/prerequisites/engines-stay.ts";
import { CRASHES, crashText, FAILED_STARTS, failureText } from "../../../core/planner/view/engine-failure.ts";
import type { BdbRecord, ShardInstanceRecord } from "../../../ports/management/records.ts";

/** That engines of a database end again and again, before they serve or soon after, one finding of each kind; none while none does. */
export function engineFindings(
  bdb: Pick<BdbRecord, "uid" | "name"> | undefined,
  shards: readonly ShardInstanceRecord[],
  cluster: string,
): readonly Finding[] {
  const own = shards.filter(({ bdb_uid }) => bdb_uid === bdb?.uid);
  const { name = "" } = bdb ?? {};
  const failing = own.flatMap(({ node_uid, failed_starts: starts = 0, last_words: lastWords = "" }) => {
    const node = Number(node_uid);
    return starts < FAILED_STARTS ? [] : [{ node, text: failureText(name, node, { starts, lastWords }) }];
  });
  const crashing = own.flatMap(
    ({ node_uid, crashes: times = 0, ended_by: endedBy = "", last_words: lastWords = "" }) => {
      const node = Number(node_uid);
      return times < CRASHES ? [] : [{ node, text: crashText(name, node, { times, endedBy, lastWords }) }];
    },
  );
  return [
    ...(failing.length === 0 ? [] : [engineFails(cluster, failing)]),
    ...(crashing.length === 0 ? [] : [engineCrashes(cluster, crashing)]),
  ];
}
