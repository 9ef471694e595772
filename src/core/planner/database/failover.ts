import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../api/records.ts";
import { successorsOf } from "./in-sync.ts";
import { waitBecause, type LeaderProposal } from "./step.ts";
import { scriptStep } from "./running-script.ts";
import { isUnable, relaunch, unknownCopy, whileUnable, withoutData, withoutNewest } from "./recovery.ts";
import { failuresText, primaryOf, replicasOf, shardName } from "./facts.ts";
import type { DatabaseFacts, InstanceFacts } from "./facts.ts";

/**
 * What to do about a primary: nothing while it serves; wait while it starts, loads or is silent. When it is dead, a replica of the set in sync
 * takes over, or the primary starts again from what it kept. Only what the primary does not keep may be taken from a replica that left the set.
 */
export function primaryStep(facts: DatabaseFacts, shard: ShardRecord): LeaderProposal | undefined {
  const primary = primaryOf(shard);
  const seen = facts.instances.get(primary.id);
  const who = `the primary of ${shardName(facts.record, shard.id)} on node ${primary.node}`;
  if (seen === undefined) return waitBecause(`${who} has not been asked yet`);
  switch (seen.state) {
    case "serving":
      return seen.role === "primary" ? undefined : succession(facts, shard, seen, who);
    case "busy":
      return scriptStep(facts, shard, seen.script);
    case "loading":
      return waitBecause(`${who} is starting${failuresText(seen)}`);
    case "silent":
      return waitBecause(`${who} does not answer, and its node has not said that it crashed`);
    case "dead":
      return mayStillStart(primary, seen)
        ? waitBecause(`${who} is starting${failuresText(seen)}`)
        : succession(facts, shard, seen, who);
  }
}

function succession(facts: DatabaseFacts, shard: ShardRecord, primary: InstanceFacts, who: string): LeaderProposal {
  const { record, instances, nodes } = facts;
  const { usedLaunch, lastWords } = primary;
  const heir = heirOf(shard, instances, successorsOf(shard, nodes, record.durability));
  const isIntact = usedLaunch !== undefined && keepsAll(record, primary);
  // with `durability: sync` a member has every acknowledged write, while the AOF of the primary may lack its last second
  const returns = isIntact && !isUnable(primary) && record.durability !== "sync";
  if (heir !== undefined && !(returns && lacksSomething(instances.get(heir.id), primary)))
    return failOverTo(shard, heir);
  // any copy is newer than what a primary without its data has
  const copy = heirOf(shard, instances, undefined);
  const isGone = usedLaunch === undefined && primary.state === "dead";
  if (copy !== undefined && !isIntact && !isGone) return failOverTo(shard, copy);
  const mayBeNewer = usedLaunch !== undefined && !isIntact;
  const unknown = mayBeNewer ? unknownCopy(record, shard, instances, primary.lostData === true) : undefined;
  if (unknown !== undefined) return unknown;
  if (primary.lostData === true) return withoutData(record, shard, instances);
  if (usedLaunch !== undefined) {
    const again = relaunch(record, shard, usedLaunch, lastWords);
    return isUnable(primary) ? whileUnable(record, shard, instances, { who, lastWords, again }) : again;
  }
  const goneMs = nodes.find(({ uid }) => uid === primaryOf(shard).node)?.goneForMs ?? 0;
  if (goneMs === 0) return waitBecause(`${who} does not run yet`);
  return withoutNewest(record, shard, instances, Math.round(goneMs / 1000));
}

function failOverTo(shard: ShardRecord, { id }: InstanceRecord): LeaderProposal {
  return { kind: "fail-over", shard: shard.id, to: id };
}

/** The primary's disk has all that it acknowledged, but for the last second of an AOF that is written each second. */
function keepsAll({ persistence }: DatabaseRecord, { endedCleanly, lostData }: InstanceFacts): boolean {
  if (persistence === "disabled" || lostData === true) return false;
  return endedCleanly === true || persistence === "aofAlways" || persistence === "aofEverySecond";
}

/** The heir has applied all that came from the primary, and the primary was seen to have written more. */
function lacksSomething(heir: InstanceFacts | undefined, { lastOffset }: InstanceFacts): boolean {
  return heir?.drained === true && lastOffset !== undefined && heir.offset < lastOffset;
}

/**
 * Why an instance acknowledges no more writes: its process has ended or was made a replica (`ended`), or it is `cut-off`: its
 * node has not renewed its lease and does not answer, yet its process may run and come back. Undefined: it may.
 */
export function proofOfEnd(facts: InstanceFacts | undefined): "ended" | "cut-off" | undefined {
  if (facts?.state === "dead") return facts.cutOff === true ? "cut-off" : "ended";
  return facts?.state === "serving" && facts.role === "replica" ? "ended" : undefined;
}

/**
 * The replica with the highest offset among those that serve and have held the data; of `members` alone where a set is kept.
 * One that was promoted already wins.
 */
function heirOf(
  shard: ShardRecord,
  instances: ReadonlyMap<number, InstanceFacts>,
  members: readonly number[] | undefined,
): InstanceRecord | undefined {
  const offset = ({ id }: InstanceRecord): number => instances.get(id)?.offset ?? -1;
  const isPromoted = ({ id }: InstanceRecord): boolean => instances.get(id)?.role === "primary";
  return replicasOf(shard)
    .filter(({ id }) => instances.get(id)?.state === "serving" && instances.get(id)?.hasData === true)
    .filter((replica) => members === undefined || members.includes(replica.id) || isPromoted(replica))
    .toSorted((a, b) => Number(isPromoted(b)) - Number(isPromoted(a)) || offset(b) - offset(a) || a.id - b.id)[0];
}

/** Its node has not yet used the newest permission to start it as primary. */
function mayStillStart(primary: InstanceRecord, facts: InstanceFacts): boolean {
  return facts.usedLaunch !== undefined && facts.usedLaunch < primary.launch;
}
