import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../api/records.ts";
import { FAILED_STARTS, failureText } from "../view/engine-failure.ts";
import { isBeingMade, primaryOf, replicasOf, shardName, syncText } from "./facts.ts";
import type { InstanceFacts } from "./facts.ts";
import { waitBecause, type LeaderProposal } from "./step.ts";

type Instances = ReadonlyMap<number, InstanceFacts>;

/** How often the engine of a new database may end before it serves; then its creation counts as failed. */
const LAUNCHES_OF_CREATION = 3;

/** The engine of the instance ends again and again before it serves: an older copy is offered instead. */
export function isUnable({ failedStarts = 0 }: InstanceFacts): boolean {
  return failedStarts >= FAILED_STARTS;
}

/**
 * A replica that may hold a newer copy than a primary that keeps nothing: it has not answered yet, or the primary has lost what was on its disk
 * (`lost`) and the replica still reads its own. Each decision waits until the content of that copy is known.
 */
export function unknownCopy(
  record: Pick<DatabaseRecord, "name" | "persistence" | "shards">,
  shard: ShardRecord,
  instances: Instances,
  lost: boolean,
): LeaderProposal | undefined {
  const isRead = lost && record.persistence !== "disabled";
  const mayHold = (facts: InstanceFacts | undefined): boolean => {
    switch (facts?.state) {
      case "serving":
        return false;
      case undefined:
      case "silent":
      case "busy":
        return true;
      case "loading":
        return isRead;
      case "dead":
        return isRead && facts.cutOff !== true && facts.lostData !== true && !isUnable(facts);
    }
  };
  const unknown = replicasOf(shard).find(({ id }) => mayHold(instances.get(id)));
  if (unknown === undefined) return undefined;
  const { node } = primaryOf(shard);
  const name = shardName(record, shard.id);
  const what = lost ? goneText(name, node) : `the primary of ${name} on node ${node} has ended`;
  return waitBecause(`${what}; ${syncText(unknown, instances.get(unknown.id))}`);
}

/** The only copy starts again from what it kept. A new database whose engine never gets that far is reported as failed first. */
export function relaunch(
  record: DatabaseRecord,
  shard: ShardRecord,
  usedLaunch: number,
  lastWords: string | undefined,
): LeaderProposal {
  const instance = primaryOf(shard);
  if (record.status !== "pending" || usedLaunch < LAUNCHES_OF_CREATION)
    return { kind: "relaunch", shard: shard.id, instance: instance.id };
  const reason = failureText(record.name, instance.node, { starts: usedLaunch, lastWords: lastWords ?? "" });
  return { kind: "creation-failed", reason };
}

/**
 * The primary ends again and again before it serves. It is started again and again, for what keeps it from serving may pass, a
 * full volume for instance; meanwhile a user may agree to an older copy.
 */
export function whileUnable(
  record: DatabaseRecord,
  shard: ShardRecord,
  instances: Instances,
  failing: { readonly who: string; readonly lastWords: string | undefined; readonly again: LeaderProposal },
): LeaderProposal {
  const copy = isBeingMade(record) ? undefined : (newestCopy(shard, instances) ?? newestKept(shard, instances));
  if (copy === undefined) return failing.again;
  if (shard.recovery?.consent === true) return { kind: "fail-over", shard: shard.id, to: copy.id };
  const lacks = `${failing.who} cannot start: ${failing.lastWords ?? "its engine ends"}; node ${copy.node} has an older copy`;
  return shard.recovery?.lacks === lacks ? failing.again : { kind: "ask-consent", shard: shard.id, lacks };
}

/**
 * What the primary kept is gone with its volume. What a replica has on its disk is older, and an empty database is empty: both
 * need consent. A database without persistence kept nothing that could be gone.
 */
export function withoutData(record: DatabaseRecord, shard: ShardRecord, instances: Instances): LeaderProposal {
  const { id, node } = primaryOf(shard);
  const kept = newestKept(shard, instances);
  const rest = kept === undefined ? otherCopies(shard, instances) : `node ${kept.node} has an older copy on its disk`;
  const lacks = `${goneText(shardName(record, shard.id), node)}; ${rest}`;
  if (kept !== undefined && shard.recovery?.consent === true)
    return { kind: "fail-over", shard: shard.id, to: kept.id };
  if (isBeingMade(record) || record.persistence === "disabled" || allowsEmptyStart(shard, lacks))
    return { kind: "start-empty", shard: shard.id, instance: id };
  return askConsent(shard, lacks);
}

/** Its data are to be restored: whatever else is true of it, it does not begin without them, unless a user agrees to that. */
export function awaitsData({ recovery }: Pick<ShardRecord, "recovery">): boolean {
  return recovery?.awaited === true && recovery.consent !== true;
}

/** A user who agreed to an older copy, which is gone by now, has not agreed to an empty database. */
function allowsEmptyStart({ recovery }: ShardRecord, lacks: string): boolean {
  if (recovery?.consent !== true) return false;
  return recovery.empty === true || recovery.awaited === true || recovery.lacks === lacks;
}

function goneText(name: string, node: number): string {
  return `the data of ${name} on node ${node} is gone with its volume`;
}

/** Where another copy may be, when none is at hand. */
function otherCopies(shard: ShardRecord, instances: Instances): string {
  const away = replicasOf(shard).find(({ id }) => instances.get(id)?.cutOff === true);
  return away === undefined
    ? "no replica has another copy"
    : `node ${away.node}, which is away, may have an older copy`;
}

/** The node with the newest copy is away, for `gone` seconds: a replica that is not in sync takes over once a user agrees. */
export function withoutNewest(
  record: DatabaseRecord,
  shard: ShardRecord,
  instances: Instances,
  gone: number,
): LeaderProposal {
  const { node } = primaryOf(shard);
  const name = shardName(record, shard.id);
  const kept = newestCopy(shard, instances) ?? newestKept(shard, instances);
  if (kept === undefined) return waitBecause(`node ${node}, gone for ${gone} s, holds the newest copy of ${name}`);
  if (shard.recovery?.consent === true) return { kind: "fail-over", shard: shard.id, to: kept.id };
  const place = instances.get(kept.id)?.kept === true ? " on its disk" : "";
  const lacks = `node ${node}, which is away, holds the newest copy of ${name}; node ${kept.node} has an older one${place}`;
  return askConsent(shard, lacks);
}

function askConsent({ id, recovery }: ShardRecord, lacks: string): LeaderProposal {
  return recovery?.lacks === lacks ? waitBecause(lacks) : { kind: "ask-consent", shard: id, lacks };
}

/** The replica with the highest offset among those that were linked to the primary and are not known to be in sync. */
function newestCopy(shard: ShardRecord, instances: Instances): InstanceRecord | undefined {
  return newest(shard, instances, ({ state, hasData }) => state === "serving" && hasData);
}

/** The replica with the highest offset among those that read keys from their own disks. */
function newestKept(shard: ShardRecord, instances: Instances): InstanceRecord | undefined {
  return newest(shard, instances, ({ kept }) => kept === true);
}

function newest(
  shard: ShardRecord,
  instances: Instances,
  counts: (facts: InstanceFacts) => boolean,
): InstanceRecord | undefined {
  const offset = ({ id }: InstanceRecord): number => instances.get(id)?.offset ?? -1;
  return replicasOf(shard)
    .filter(({ id }) => {
      const facts = instances.get(id);
      return facts !== undefined && counts(facts);
    })
    .toSorted((one, other) => offset(other) - offset(one) || one.id - other.id)[0];
}
