import type { InstanceRecord, ShardRecord } from "../../api/records.ts";
import { waitBecause, type LeaderProposal } from "./step.ts";
import {
  inSync,
  primaryOf,
  replicasOf,
  targetVersion,
  desiredInstances,
  isAsAsked,
  shardName,
  wantsTls,
} from "./facts.ts";
import type { DatabaseFacts } from "./facts.ts";
import { compareHeirs } from "./heirs.ts";
import { behindText } from "./in-sync.ts";
import { instanceSize } from "../node/instance-size.ts";
import { whyNotBegun } from "./parallel-shards.ts";
import { placedInOthers } from "./placed.ts";
import { placeKept, portOffsetOf, type RoomRule } from "./placement.ts";

/** A replica is made again elsewhere when its node has been gone this long; shorter absences are restarts. */
export const REPLICA_LOST_MS = 600_000;

/** Where a copy may be made, from the best to the least room. */
const KEPT: readonly RoomRule[] = ["growth", "resting"];

/** Makes a missing replica on another node; a replica whose node is gone for long counts as missing. */
export function missingReplicaStep(facts: DatabaseFacts, shard: ShardRecord): LeaderProposal | undefined {
  const present = shard.instances.filter((instance) => !isReplicaLost(facts, shard, instance));
  return present.length < desiredInstances(facts.record) ? addReplica(facts, shard) : undefined;
}

/** Removes a surplus replica as soon as the remaining ones could succeed the primary. */
export function surplusStep(facts: DatabaseFacts, shard: ShardRecord): LeaderProposal | undefined {
  if (shard.instances.length <= desiredInstances(facts.record)) return undefined;
  const going = mostDispensable(facts, shard);
  if (going === undefined) return undefined;
  const staying = replicasOf(shard).filter((replica) => replica !== going && stays(facts, shard, replica));
  const behind = staying.map((replica) => behindText(facts, shard, replica)).find((reason) => reason !== undefined);
  if (behind !== undefined) return waitBecause(behind);
  return { kind: "retire", shard: shard.id, instance: going.id };
}

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
  const replicas = replicasOf(shard).filter((replica) => !isReplicaLost(facts, shard, replica));
  const fresh = replicas.filter(isNew);
  if (isNew(primaryOf(shard))) return withNewReplica(facts, shard, fresh);
  const behind = fresh.map((replica) => behindText(facts, shard, replica)).find((reason) => reason !== undefined);
  const wanted = desiredInstances(facts.record);
  if (fresh.length < wanted) {
    if (replicas.length + 1 <= wanted) return addSurge(facts, shard);
    if (behind !== undefined) return waitBecause(behind);
    const old = replicas.find((replica) => !isNew(replica));
    return old === undefined ? addSurge(facts, shard) : { kind: "retire", shard: shard.id, instance: old.id };
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
  if (shard.instances.length <= wanted) return addSurge(facts, shard);
  const going = mostDispensable(facts, shard);
  return going && { kind: "retire", shard: shard.id, instance: going.id };
}

/**
 * A copy more than the shard has: each that is made forks its primary. One of a database may be made where there is just room for what its databases
 * hold; further ones at the same time only where there is room for all that they may ever take.
 */
function addSurge(facts: DatabaseFacts, shard: ShardRecord): LeaderProposal {
  const { record } = facts;
  const waits = whyNotBegun(record, shard);
  if (waits !== undefined) return waitBecause(`${shardName(record, shard.id)} is next: ${waits}`);
  const isAlone = record.shards.every(
    ({ id, instances }) => id === shard.id || instances.length <= desiredInstances(record),
  );
  if (isAlone) return addReplica(facts, shard);
  const proposal = addReplica(facts, shard, ["growth"]);
  if (proposal.kind !== "wait") return proposal;
  return waitBecause(
    `${shardName(record, shard.id)} is next: there is no room for the copies of several shards at once`,
  );
}

function takeOver(facts: DatabaseFacts, shard: ShardRecord, fresh: readonly InstanceRecord[]): LeaderProposal {
  const fit = fresh.filter(({ node }) =>
    facts.nodes.some(({ uid, alive, draining }) => uid === node && alive && !draining),
  );
  // what was compared, or is being compared, is not compared in vain
  const seen = ({ id }: InstanceRecord): number =>
    Number(facts.verified.has(id)) * 2 + Number(facts.comparing?.has(id) === true);
  const [heir] = fit.toSorted((a, b) => seen(b) - seen(a) || compareHeirs(facts.record, shard, a, b));
  if (heir === undefined) {
    const where = fresh.map(({ node }) => node).join(" and ");
    return waitBecause(`the new replica is on node ${where}, which is in maintenance`);
  }
  const isOther = heir.storeVersion !== primaryOf(shard).storeVersion;
  if (isOther && !facts.verified.has(heir.id)) return { kind: "verify", shard: shard.id, replica: heir.id };
  return { kind: "switch-over", shard: shard.id, to: heir.id };
}

/** Lost ones first, then those that are not as asked, on draining nodes, and not in sync. */
function mostDispensable(facts: DatabaseFacts, shard: ShardRecord): InstanceRecord | undefined {
  const order = (a: InstanceRecord, b: InstanceRecord): number =>
    dispensability(facts, shard, b) - dispensability(facts, shard, a) || b.id - a.id;
  return replicasOf(shard).toSorted(order)[0];
}

/**
 * A new replica as the database shall have them: on a node without an instance of this shard, else beside an
 * old replica, else beside an old primary; never on a node with an instance that stays.
 */
export function addReplica(
  facts: DatabaseFacts,
  shard: ShardRecord,
  rules: readonly RoomRule[] = KEPT,
): LeaderProposal {
  const { record, nodes, everything } = facts;
  const storeVersion = targetVersion(record);
  const portOffset = portOffsetOf(record.uid, record.nextInstance);
  const asked = { storeVersion, tls: wantsTls(record), ...instanceSize(record, shard) };
  const around = {
    nodes,
    everything,
    ofOtherShards: placedInOthers(record, shard),
    shardsPlacement: record.shardsPlacement,
  };
  const request = { ...around, ...asked, portOffset, role: "replica" } as const;
  const nodesOf = (instances: readonly InstanceRecord[]): readonly number[] => instances.map(({ node }) => node);
  const staying = nodesOf(shard.instances.filter((instance) => stays(facts, shard, instance)));
  const avoided = [nodesOf(shard.instances), [...staying, primaryOf(shard).node], staying];
  const kept = avoided.map((avoid) => placeKept({ ...request, avoid }, rules));
  // what older releases began goes on, but never two copies of the same data in a container that has no room for both
  const elsewhere = rules === KEPT ? [placeKept({ ...request, avoid: nodesOf(shard.instances) }, ["machine"])] : [];
  for (const placed of [...kept, ...elsewhere])
    if (!("id" in placed)) return { kind: "add-replica", shard: shard.id, storeVersion, ...placed };
  const none = kept.findLast((placed) => "id" in placed);
  return waitBecause(`${shardName(record, shard.id)} needs another replica, but ${none?.evidence ?? ""}`);
}

function stays(facts: DatabaseFacts, shard: ShardRecord, instance: InstanceRecord): boolean {
  return isAsAsked(facts.record, instance) && !isReplicaLost(facts, shard, instance);
}

/** On a node that is gone for long; a primary is never lost, it is failed over. */
function isReplicaLost({ nodes }: DatabaseFacts, shard: ShardRecord, instance: InstanceRecord): boolean {
  if (instance.id === shard.primary) return false;
  const node = nodes.find(({ uid }) => uid === instance.node);
  return node !== undefined && !node.draining && node.goneForMs >= REPLICA_LOST_MS;
}

function dispensability(facts: DatabaseFacts, shard: ShardRecord, instance: InstanceRecord): number {
  const draining = facts.nodes.some(({ uid, draining: leaves }) => leaves && uid === instance.node);
  const old = !isAsAsked(facts.record, instance);
  const behind = !inSync(facts.instances.get(instance.id));
  return (isReplicaLost(facts, shard, instance) ? 8 : 0) + (old ? 4 : 0) + (draining ? 2 : 0) + (behind ? 1 : 0);
}
