import type { DatabaseRecord, ShardRecord } from "../../../src/core/api/records.ts";

/** A time in which the primary changed or started again, in nanoseconds by the steady clock of the machine. */
export interface Change {
  readonly from: number;
  readonly to: number;
}

/** What is seen of a change may be so much later than the change. */
const SEEN_LATE_NS = 300e6;
/** A change without an intent in the record: the primary was not to be heard of for at most so long. */
const UNANNOUNCED_NS = 5_000e6;

/** Follows the record of a database as it is stored, and knows when its primary changed. */
export class PrimaryChanges {
  readonly changes: Change[] = [];
  #before: ShardRecord | undefined;
  #intentSince: number | undefined;

  /** `now` as in Change. */
  see(record: DatabaseRecord, now: number): void {
    const [shard] = record.shards;
    if (shard === undefined) return;
    if (shard.switchover !== undefined) this.#intentSince ??= now;
    const before = this.#before;
    this.#before = shard;
    if (before === undefined) return;
    const hasChanged = before.epoch !== shard.epoch || launchOf(before) !== launchOf(shard);
    if (hasChanged)
      this.changes.push({ from: (this.#intentSince ?? now - UNANNOUNCED_NS) - SEEN_LATE_NS, to: now + SEEN_LATE_NS });
    if (shard.switchover === undefined) this.#intentSince = undefined;
  }
}

function launchOf({ instances, primary }: ShardRecord): number {
  return instances.find(({ id }) => id === primary)?.launch ?? 0;
}
