import type { DatabaseRecord, InSyncSet, ReshapeIntent, ReshapePhase, ShardRecord } from "../api/records.ts";
import { isSameTable } from "../slots/named-slots.ts";
import { primaryOf, replicasOf } from "../planner/database/facts.ts";
import { keptShards, nextTable, replacedShards } from "../planner/database/replaced-shards.ts";

/** Which switch to the next table is meant: it ends as a whole, or is taken back as a whole. */
export interface TableMove {
  /** The epoch of the table that is to begin. No other switch has it, also none of the same shards. */
  readonly tableEpoch: number;
  /** The attempt whose mover has filled the shards to be. */
  readonly attempt: number;
  /** The shards that serve, with their primaries and epochs, as text: with another primary the mover has followed an engine that is gone. */
  readonly serving: string;
}

/** The switch that follows the copy; undefined while nothing is copied. */
export function tableMoveOf(record: DatabaseRecord): TableMove | undefined {
  const { reshape } = record;
  if (reshape?.phase !== "copy") return undefined;
  return { tableEpoch: reshape.tableEpoch, attempt: reshape.attempt, serving: servingText(record) };
}

/** The switch that a leader has begun; undefined unless clients may be held for one, or served by its shards. */
export function tableMoveBegun(record: DatabaseRecord): TableMove | undefined {
  const { reshape } = record;
  if (reshape?.phase !== "hold") return undefined;
  return { tableEpoch: reshape.tableEpoch, attempt: reshape.attempt, serving: servingText(record) };
}

function servingText({ shards }: DatabaseRecord): string {
  return JSON.stringify(shards.map(({ id, epoch, primary, switchover }) => [id, epoch, primary, switchover?.epoch]));
}

/** Copying begins anew, with another mover at the same place; itself while nothing is copied. `now`: ISO instant. `failed`: why the attempt before has ended. */
export function copyAgain(record: DatabaseRecord, now: string, failed: ReshapeIntent["failed"]): DatabaseRecord {
  const { reshape } = record;
  if (reshape?.phase !== "copy") return record;
  const begun = { ...reshape, attempt: reshape.attempt + 1, since: now };
  return { ...record, reshape: failed === undefined ? begun : { ...begun, failed } };
}

/** Clients may be held from now on, and shards to be promoted; undefined when another leader was first, or copying has begun anew. */
export function holdForTable(record: DatabaseRecord, move: TableMove): DatabaseRecord | undefined {
  const reshape = underWay(record, move, "copy");
  return reshape === undefined ? undefined : { ...record, reshape: { ...reshape, phase: "hold" } };
}

/**
 * The shards to be serve beside those that are kept, and the others that served retire with their primaries alone; undefined when another leader has taken
 * the switch back. All replicas of the shards to be have what their primaries have.
 */
export function serveTable(record: DatabaseRecord, move: TableMove, until: string): DatabaseRecord | undefined {
  const reshape = underWay(record, move, "hold");
  if (reshape === undefined) return undefined;
  const kept = keptShards(record);
  return {
    ...withoutAsked(record),
    tableEpoch: move.tableEpoch,
    shards: nextTable(record).map((shard) => (kept.includes(shard) ? shard : { ...shard, ...inSyncOf(shard) })),
    reshape: { ...reshape, phase: "retire", shards: replacedShards(record).map(retire), until },
  };
}

/** What was asked for is there; consent was for this change alone. */
function withoutAsked(record: DatabaseRecord): DatabaseRecord {
  const { mayDiscardMisplaced: _used, shardSlots: named, ...others } = record;
  return named === undefined || isSameTable(named, nextTable(record)) ? others : { ...others, shardSlots: named };
}

/** True when the move has become the truth of the record. */
export function isServed({ tableEpoch, reshape }: DatabaseRecord, move: TableMove): boolean {
  return tableEpoch === move.tableEpoch && (reshape === undefined || reshape.phase === "retire");
}

/**
 * The switch of this epoch goes no further: a leader that began it finds its epoch gone, and no leader lets the shards to be serve. Those that serve are to be
 * primaries again, until `copyAfterReturn`. Itself unless this switch has begun.
 */
export function takeTableBack(record: DatabaseRecord, tableEpoch: number): DatabaseRecord {
  const { reshape } = record;
  if (reshape?.phase !== "hold" || reshape.tableEpoch !== tableEpoch) return record;
  return { ...record, reshape: { ...reshape, phase: "return", tableEpoch: tableEpoch + 1 } };
}

/** How a switch was taken back. */
export interface TableReturn {
  /** Shards to be may have been promoted: copying begins anew. */
  readonly isAnew: boolean;
  /** A proxy may have got the table that is taken back: the former shards go on in an epoch above it. */
  readonly mayBeReleased: boolean;
  /** ISO instant. */
  readonly now: string;
}

/** Copying goes on once the former shards serve, or begins anew; itself unless this switch was taken back, and no later one. */
export function copyAfterReturn(
  record: DatabaseRecord,
  tableEpoch: number,
  { isAnew, mayBeReleased, now }: TableReturn,
): DatabaseRecord {
  const { reshape } = record;
  if (reshape?.phase !== "return" || reshape.tableEpoch !== tableEpoch) return record;
  const former = mayBeReleased ? { ...record, tableEpoch } : record;
  const copying = { ...former, reshape: { ...reshape, phase: "copy", tableEpoch: tableEpoch + 1 } } as const;
  return isAnew ? copyAgain(copying, now, reshape.failed) : copying;
}

/** The shards that served before are gone, or those to be, which clients have never seen: their nodes remove the data. Itself in the middle of a switch. */
export function withoutFurtherShards(record: DatabaseRecord): DatabaseRecord {
  const { reshape, ...rest } = record;
  return reshape?.phase === "copy" || reshape?.phase === "retire" ? rest : record;
}

function underWay(
  record: DatabaseRecord,
  { tableEpoch, attempt, serving }: TableMove,
  phase: ReshapePhase,
): ReshapeIntent | undefined {
  const { reshape } = record;
  const isIt = reshape?.phase === phase && reshape.tableEpoch === tableEpoch && reshape.attempt === attempt;
  return isIt && servingText(record) === serving ? reshape : undefined;
}

function inSyncOf(shard: ShardRecord): { readonly inSync?: InSyncSet } {
  const members = replicasOf(shard).map(({ id }) => id);
  return members.length === 0 ? {} : { inSync: { epoch: shard.epoch, members } };
}

/** Its primary answers scans that had begun; nothing may take its place. */
function retire(shard: ShardRecord): ShardRecord {
  const { id, epoch, primary, slots, share } = shard;
  const size = { ...(slots === undefined ? {} : { slots }), ...(share === undefined ? {} : { share }) };
  return { id, epoch, primary, instances: [primaryOf(shard)], ...size };
}
