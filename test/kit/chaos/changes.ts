import type { DatabaseRecord, ShardRecord } from "../../../src/core/api/records.ts";
import type { SlotRange } from "../../../src/core/base/slot-range.ts";
import { slotsOf } from "../../../src/core/slots/shard-slots.ts";
import { slotOf } from "../../../src/core/slots/slot.ts";

/** A time in which the primary of a shard changed or started again, in nanoseconds by the steady clock of the machine. */
export interface Change {
  readonly from: number;
  readonly to: number;
  /** Those of the shard whose primary it is. */
  readonly slots: readonly SlotRange[];
}

/** The key is among those of the slots. */
export function hasKey(slots: readonly SlotRange[], key: string): boolean {
  const slot = slotOf(Buffer.from(key));
  return slots.some(({ from, to }) => slot >= from && slot <= to);
}

/** What is seen of a change may be so much later than the change. */
const SEEN_LATE_NS = 300e6;
/** A change without an intent in the record: the primary was not to be heard of for at most so long. */
const UNANNOUNCED_NS = 5_000e6;

/** Follows the record of a database as it is stored, and knows when the primary of one of its shards changed. */
export class PrimaryChanges {
  readonly changes: Change[] = [];
  readonly #seen = new Map<number, SeenShard>();

  /** `now` as in Change. */
  see(record: DatabaseRecord, now: number): void {
    for (const shard of record.shards) this.#see(shard, now);
  }

  #see(shard: ShardRecord, now: number): void {
    const before = this.#seen.get(shard.id);
    const intentSince = before?.intentSince ?? (shard.switchover && now);
    this.#seen.set(shard.id, { shard, intentSince: shard.switchover && intentSince });
    if (before === undefined || !hasChanged(before.shard, shard)) return;
    const from = (intentSince ?? now - UNANNOUNCED_NS) - SEEN_LATE_NS;
    this.changes.push({ from, to: now + SEEN_LATE_NS, slots: slotsOf(shard) });
  }
}

interface SeenShard {
  readonly shard: ShardRecord;
  /** Since when the record has had an intent; undefined: it has none. */
  readonly intentSince: number | undefined;
}

function hasChanged(before: ShardRecord, now: ShardRecord): boolean {
  return before.epoch !== now.epoch || launchOf(before) !== launchOf(now);
}

function launchOf({ instances, primary }: ShardRecord): number {
  return instances.find(({ id }) => id === primary)?.launch ?? 0;
}
