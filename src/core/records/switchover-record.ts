import { nameShardIn } from "../planner/database/facts.ts";
import { presentMembers } from "../planner/database/in-sync.ts";
import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../api/records.ts";
import { withLoss } from "./changes.ts";

/** Which change of primary is meant: it is begun, finished or taken back as a whole. */
export interface SwitchoverMove {
  readonly shard: number;
  readonly from: number;
  readonly to: number;
  /** The epoch that begins when `to` is promoted. */
  readonly epoch: number;
}

/** The move to `to` as the record stands; undefined when the shard has no such instance, or it serves already. */
export function moveTo(record: DatabaseRecord, shardId: number, to: number): SwitchoverMove | undefined {
  const shard = record.shards.find(({ id }) => id === shardId);
  const target = shard?.instances.find(({ id }) => id === to);
  if (shard === undefined || target === undefined || shard.primary === to) return undefined;
  return { shard: shardId, from: shard.primary, to, epoch: shard.epoch + 1 };
}

/** The move that the shard's intent names; undefined when none has begun. */
export function moveBegun(shard: ShardRecord): SwitchoverMove | undefined {
  if (shard.switchover === undefined) return undefined;
  const { to, epoch } = shard.switchover;
  return { shard: shard.id, from: shard.primary, to, epoch };
}

/** True when the move is the one that has begun, and it was neither taken back nor replaced by another. */
export function isUnderWay(record: DatabaseRecord, move: SwitchoverMove): boolean {
  const shard = shardOf(record, move);
  return shard?.primary === move.from && shard.switchover?.to === move.to && shard.switchover.epoch === move.epoch;
}

/** True when the move has become the record's truth. */
export function isDone(record: DatabaseRecord, move: SwitchoverMove): boolean {
  const shard = shardOf(record, move);
  return shard?.primary === move.to && shard.epoch >= move.epoch;
}

/**
 * Notes the intent; undefined when another move has begun, or the primary or its epoch is another one by now. `forced`: the
 * primary is cut off; each reader of the record leaves it from now on.
 */
export function begin(record: DatabaseRecord, move: SwitchoverMove, forced = false): DatabaseRecord | undefined {
  const shard = shardOf(record, move);
  if (shard?.primary !== move.from || shard.switchover !== undefined || shard.epoch !== move.epoch - 1)
    return undefined;
  const switchover = { to: move.to, epoch: move.epoch, ...(forced ? { forced } : {}) };
  return onShard(record, move, (current) => ({ ...current, switchover }));
}

/** The target serves: primary and epoch change and the intent goes. Unchanged unless this move is under way. */
export function finish(record: DatabaseRecord, move: SwitchoverMove): DatabaseRecord {
  if (!isUnderWay(record, move)) return record;
  // the old primary held all that the new one has, and follows it
  return onShard(record, move, ({ switchover: _over, ...shard }) => ({
    ...shard,
    ...carryInSync(shard, move.epoch, (members) => [...members.filter((id) => id !== move.to), move.from]),
    primary: move.to,
    epoch: move.epoch,
  }));
}

/** Nothing has changed hands: the intent goes, the epoch stays. Unchanged unless this move is under way. */
export function withdraw(record: DatabaseRecord, move: SwitchoverMove): DatabaseRecord {
  if (!isUnderWay(record, move)) return record;
  return onShard(record, move, ({ switchover: _over, ...shard }) => shard);
}

/**
 * Another leader takes the move back: the epoch passes the one that was intended, so that the leader who began it, should
 * it still live, finds every proxy closed to it.
 */
export function takeBack(record: DatabaseRecord, move: SwitchoverMove): DatabaseRecord {
  if (!isUnderWay(record, move)) return record;
  return onShard(record, move, ({ switchover: _over, ...shard }) => ({
    ...shard,
    ...carryInSync(shard, move.epoch + 1, (members) => members),
    epoch: move.epoch + 1,
  }));
}

/** An instance takes over without being asked to wait: primary and epoch at once, any intent goes; itself when too late. */
export function recordSuccession(record: DatabaseRecord, move: SwitchoverMove): DatabaseRecord {
  const shard = shardOf(record, move);
  if (shard?.primary !== move.from || shard.epoch >= move.epoch) return record;
  // whether the others have what the successor has is not known before they follow it
  return onShard(record, move, ({ switchover: _over, ...old }) => ({
    ...old,
    ...carryInSync(old, move.epoch, () => []),
    primary: move.to,
    epoch: move.epoch,
  }));
}

/**
 * The record with an epoch past one that was served: it was restored from an older copy, and every proxy would refuse it for
 * ever. Itself while a move is under way, and when its epoch has got there.
 */
export function withEpochPast(record: DatabaseRecord, shardId: number, served: number): DatabaseRecord {
  const raise = ({ inSync: _unknown, ...shard }: ShardRecord): ShardRecord => ({ ...shard, epoch: served + 1 });
  const isBehind = ({ id, epoch, switchover }: ShardRecord): boolean =>
    id === shardId && epoch < served && switchover === undefined;
  return { ...record, shards: record.shards.map((shard) => (isBehind(shard) ? raise(shard) : shard)) };
}

/** Adds a sentence about what a crash may have cost a shard. */
export function withLossReport(
  record: DatabaseRecord,
  { shard }: Pick<SwitchoverMove, "shard">,
  sentence: string | undefined,
): DatabaseRecord {
  if (sentence === undefined) return record;
  return withLoss(record, nameShardIn(record, shard, sentence));
}

/** The instance with `id` of the move's shard. */
export function instanceOf(record: DatabaseRecord, move: SwitchoverMove, id: number): InstanceRecord | undefined {
  return shardOf(record, move)?.instances.find((instance) => instance.id === id);
}

/** Instances of the move's shard that are neither the old nor the new primary. */
export function siblingsOf(record: DatabaseRecord, move: SwitchoverMove): readonly InstanceRecord[] {
  return shardOf(record, move)?.instances.filter(({ id }) => id !== move.from && id !== move.to) ?? [];
}

/** The set of replicas in sync for the next epoch, where one was kept in this one. */
function carryInSync(
  shard: ShardRecord,
  epoch: number,
  change: (members: readonly number[]) => readonly number[],
): Pick<ShardRecord, "inSync"> {
  const [old, set] = [presentMembers(shard), shard.inSync];
  if (old === undefined || set === undefined) return {};
  const members = change(old);
  const joining = set.joining?.filter((id) => members.includes(id));
  const version = set.version === undefined ? {} : { version: set.version + 1 };
  return { inSync: { epoch, members, ...(joining === undefined ? {} : { joining }), ...version } };
}

function shardOf(record: DatabaseRecord, move: SwitchoverMove): ShardRecord | undefined {
  return record.shards.find(({ id }) => id === move.shard);
}

function onShard(
  record: DatabaseRecord,
  move: SwitchoverMove,
  change: (shard: ShardRecord) => ShardRecord,
): DatabaseRecord {
  return { ...record, shards: record.shards.map((shard) => (shard.id === move.shard ? change(shard) : shard)) };
}
