import type { DatabaseRecord } from "../../../core/api/records.ts";

/** Offset of a primary when it was seen last, and when that was, in milliseconds of the clock. */
export interface LastSeen {
  readonly offset: number;
  readonly at: number;
}

/** What the leader can do with the engines and endpoints of a database. Each throws a Fault when it did not succeed. */
export interface Moves {
  /** Makes the replica `to` primary without losing a write or failing a request. */
  switchOver(record: DatabaseRecord, shard: number, to: number): Promise<void>;
  /** Finishes or takes back the switchover that the record says has begun. */
  resumeSwitchover(record: DatabaseRecord, shard: number): Promise<void>;
  /** Makes the replica `to` primary because the primary is dead. */
  failOver(record: DatabaseRecord, shard: number, to: number, lastSeen: LastSeen | undefined): Promise<void>;
  /** Points a replica at the primary again. */
  reattach(record: DatabaseRecord, shard: number, replica: number): Promise<void>;
  /** Compares a replica's content with its primary's. */
  verify(record: DatabaseRecord, shard: number, replica: number): Promise<void>;
}
