import type { ShardRecord } from "../../api/records.ts";
import { replicasOf, type DatabaseFacts } from "./facts.ts";
import type { LeaderProposal } from "./step.ts";

/**
 * A replica goes whose engine ends before it serves, and whose port another instance of its node has as well: it could never begin. The next one gets
 * another port. Releases before 0.6.0 gave a port twice where they placed for two databases at the same moment.
 */
export function replicaWithoutPort(
  { instances, everything }: DatabaseFacts,
  shard: ShardRecord,
): LeaderProposal | undefined {
  const isShared = (node: number, port: number): boolean =>
    everything.filter((one) => one.node === node && one.port === port).length > 1;
  const without = replicasOf(shard).find(
    ({ id, node, port }) => (instances.get(id)?.failedStarts ?? 0) > 0 && isShared(node, port),
  );
  return without && { kind: "retire", shard: shard.id, instance: without.id };
}
