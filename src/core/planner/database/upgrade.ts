import type { InstanceRecord, ShardRecord } from "../../api/records.ts";
import { waitBecause, type LeaderProposal } from "./step.ts";
import { primaryOf, replicasOf, desiredInstances, isAsAsked } from "./facts.ts";
import type { DatabaseFacts } from "./facts.ts";
import { behindText } from "./in-sync.ts";
import { addReplica, isReplicaLost, mostDispensable } from "./replicas.ts";

/**
 * Moves a shard to engines as its record asks for them, of another version or with TLS or without, with at most one instance more than it has, never with fewer replicas in sync:
 *
 *     old P + old R → + new R, in sync → − old R → + second new R, in sync → content compared → switchover → − old P
 *
 * so that replication only ever runs from old to new or between equals. Content is compared where the versions differ. A primary that
 * had to move before that gets the new replicas that it lacks. Undefined once it has them: old ones are surplus, which the ordinary rules remove.
 */
export function upgradeStep(facts: DatabaseFacts, shard: ShardRecord): LeaderProposal | undefined {
  const isNew = (instance: InstanceRecord): boolean => isAsAsked(facts.record, instance);
  const replicas = replicasOf(shard).filter((replica) => !isReplicaLost(facts, replica));
  const fresh = replicas.filter(isNew);
  if (isNew(primaryOf(shard))) return withNewReplica(facts, shard, fresh);
  const behind = fresh.map((replica) => behindText(facts, shard, replica)).find((reason) => reason !== undefined);
  const wanted = desiredInstances(facts.record);
  if (fresh.length < wanted) {
    if (replicas.length + 1 <= wanted) return addReplica(facts, shard);
    if (behind !== undefined) return waitBecause(behind);
    const old = replicas.find((replica) => !isNew(replica));
    return old === undefined ? addReplica(facts, shard) : { kind: "retire", shard: shard.id, instance: old.id };
  }
  return behind === undefined ? takeOver(facts, shard, fresh) : waitBecause(behind);
}

/** An old replica may be unable to take what a new primary gives, and none of them is waited for. */
function withNewReplica(
  facts: DatabaseFacts,
  shard: ShardRecord,
  fresh: readonly InstanceRecord[],
): LeaderProposal | undefined {
  const wanted = desiredInstances(facts.record);
  if (fresh.length + 1 >= wanted || replicasOf(shard).length === fresh.length) return undefined;
  if (shard.instances.length <= wanted) return addReplica(facts, shard);
  const going = mostDispensable(facts, shard);
  return going && { kind: "retire", shard: shard.id, instance: going.id };
}

function takeOver(facts: DatabaseFacts, shard: ShardRecord, fresh: readonly InstanceRecord[]): LeaderProposal {
  const heir = fresh.find(({ node }) =>
    facts.nodes.some(({ uid, alive, draining }) => uid === node && alive && !draining),
  );
  if (heir === undefined) {
    const where = fresh.map(({ node }) => node).join(" and ");
    return waitBecause(`the new replica is on node ${where}, which is in maintenance`);
  }
  const isOther = heir.storeVersion !== primaryOf(shard).storeVersion;
  if (isOther && !facts.verified.has(heir.id)) return { kind: "verify", shard: shard.id, replica: heir.id };
  return { kind: "switch-over", shard: shard.id, to: heir.id };
}
