import type { DatabaseRecord } from "../api/records.ts";

/** What the leader can do with the engines and endpoints of a database. Each throws a Fault when it did not succeed. */
export interface Moves {
  /** Makes the replica `to` primary without losing a write or failing a request. */
  switchOver(record: DatabaseRecord, shard: number, to: number, signal: AbortSignal): Promise<void>;
  /** Finishes or takes back the switchover that the record says has begun. */
  resumeSwitchover(record: DatabaseRecord, shard: number, signal: AbortSignal): Promise<void>;
  /** Makes the replica `to` primary because the primary is dead. */
  failOver(record: DatabaseRecord, shard: number, to: number, signal: AbortSignal): Promise<void>;
  /** Points a replica at the primary again. */
  reattach(record: DatabaseRecord, shard: number, replica: number): Promise<void>;
  /** Compares a replica's content with its primary's. */
  verify(record: DatabaseRecord, shard: number, replica: number, signal: AbortSignal): Promise<void>;
}
