import { deleteObjects } from "../../api/kubectl.ts";
import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../api/records.ts";
import { successorsOf } from "./in-sync.ts";
import { waitBecause, type LeaderProposal } from "./step.ts";
import { scriptStep } from "./running-script.ts";
import { awaitsData, isUnable, relaunch, unknownCopy, whileUnable, withoutData, withoutNewest } from "./recovery.ts";
import { failuresText, primaryOf, replicasOf, shardName } from "./facts.ts";
import type { DatabaseFacts, InstanceFacts } from "./facts.ts";

/**
 * What to do about a primary: nothing while it serves; wait while it starts, loads or is silent. When it is dead, a replica of the set in sync
 * takes over, or the primary starts again from what it kept. Only what the primary does not keep may be taken from a replica that left the set.
 */
export function primaryStep(facts: DatabaseFacts, shard: ShardRecord): LeaderProposal | undefined {
  const primary = primaryOf(shard);
  const seen = facts.instances.get(primary.id);
  if (awaitsData(shard)) return waitBecause(shard.recovery?.lacks ?? "");
  const who = `the primary of ${shardName(facts.record, shard.id)} on node ${primary.node}`;
  if (seen === undefined) return waitBecause(`${who} has not been asked yet`);
  switch (seen.state) {
    case "serving":
      if (seen.role === "primary") return undefined;
      // promoted and ended before the record named it, or demoted for one that is gone
      return mayStillStart(primary, seen) ? waitBecause(`${who} is starting`) : succession(facts, shard, seen, who);
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

/**
 * The failover from a primary that was cut off when it began, and still is: it goes on under its own intent and epoch until it is fenced. Taking it
 * back would send clients to that primary. Undefined when the target was promoted, or is not the one that would follow by now.
 */
export function goesOnAsFailover(facts: DatabaseFacts, shard: ShardRecord): LeaderProposal | undefined {
  const { switchover } = shard;
  if (switchover?.forced !== true || facts.instances.get(switchover.to)?.role === "primary") return undefined;
  const step = primaryStep(facts, shard);
  return step?.kind === "fail-over" && step.to === switchover.to ? step : undefined;
}

/** A shard whose primary has to be followed, or to start again. */
interface Vacancy {
  readonly facts: DatabaseFacts;
  readonly shard: ShardRecord;
  readonly primary: InstanceFacts;
  /** The primary, for a sentence. */
  readonly who: string;
  /** The primary keeps all that it acknowledged. */
  readonly isIntact: boolean;
}

function succession(facts: DatabaseFacts, shard: ShardRecord, primary: InstanceFacts, who: string): LeaderProposal {
  const isIntact = primary.usedLaunch !== undefined && keepsAll(facts.record, primary);
  const vacancy = { facts, shard, primary, who, isIntact };
  for (const rule of SUCCESSION) {
    const proposal = rule(vacancy);
    if (proposal !== undefined) return proposal;
  }
  return afterGone(vacancy);
}

/** Asked in this order; the first that proposes something decides. */
const SUCCESSION: readonly ((vacancy: Vacancy) => LeaderProposal | undefined)[] = [
  heirFollows,
  copyFollows,
  waitForUnknownCopy,
  goOnWithoutData,
  primaryReturns,
];

function heirFollows({ facts, shard, primary, isIntact }: Vacancy): LeaderProposal | undefined {
  const { record, instances, nodes } = facts;
  const heir = heirOf(shard, instances, successorsOf(shard, nodes, record.durability));
  // with `durability: sync` a member has every acknowledged write, while the AOF of the primary may lack its last second
  const returns = isIntact && !isUnable(primary) && record.durability !== "sync";
  if (heir === undefined || (returns && lacksSomething(instances.get(heir.id), primary))) return undefined;
  return failOverTo(shard, heir);
}

/** Any copy is newer than what a primary without its data has. */
function copyFollows({ facts, shard, primary, isIntact }: Vacancy): LeaderProposal | undefined {
  const copy = heirOf(shard, facts.instances, undefined);
  const isGone = primary.usedLaunch === undefined && primary.state === "dead";
  return copy === undefined || isIntact || isGone ? undefined : failOverTo(shard, copy);
}

function waitForUnknownCopy({ facts, shard, primary, isIntact }: Vacancy): LeaderProposal | undefined {
  if (primary.usedLaunch === undefined || isIntact) return undefined;
  return unknownCopy(facts.record, shard, facts.instances, primary.lostData === true);
}

function goOnWithoutData({ facts, shard, primary }: Vacancy): LeaderProposal | undefined {
  return primary.lostData === true ? withoutData(facts.record, shard, facts.instances) : undefined;
}

function primaryReturns({ facts, shard, primary, who }: Vacancy): LeaderProposal | undefined {
  const { usedLaunch, lastWords } = primary;
  if (usedLaunch === undefined) return undefined;
  const older = primary.state === "serving" ? nodeWithoutStart(facts, shard) : undefined;
  if (older !== undefined) return waitBecause(`${who} runs as a replica, and ${older}`);
  const again = relaunch(facts.record, shard, usedLaunch, lastWords);
  return isUnable(primary) ? whileUnable(facts.record, shard, facts.instances, { who, lastWords, again }) : again;
}

/** A node of an older release uses each launch up and leaves its engine a replica; undefined: it starts the engine anew. */
function nodeWithoutStart({ nodes }: DatabaseFacts, shard: ShardRecord): string | undefined {
  const node = nodes.find(({ uid }) => uid === primaryOf(shard).node);
  if (node === undefined || node.startsAnew) return undefined;
  return `its node, of a release before 0.6.0, does not start it anew; with spec.persistentSpec its data stays when its pod is made again: ${deleteObjects("pod", [node.pod])}`;
}

/** The primary has never run, or its node is gone and nothing is known of what it kept. */
function afterGone({ facts, shard, who }: Vacancy): LeaderProposal {
  const goneMs = facts.nodes.find(({ uid }) => uid === primaryOf(shard).node)?.goneForMs ?? 0;
  if (goneMs === 0) return waitBecause(`${who} does not run yet`);
  return withoutNewest(facts.record, shard, facts.instances, Math.round(goneMs / 1000));
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
