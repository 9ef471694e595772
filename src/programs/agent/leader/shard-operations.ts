import type { DatabaseRecord } from "../../../core/api/records.ts";

/** Offset of a primary when it answered last, and when that was, in milliseconds of the clock. */
export interface LastSeenPrimary {
  readonly offset: number;
  readonly at: number;
}

/** What the leader can do with the engines and endpoints of a database. Each throws a Fault when it did not succeed. */
export interface ShardOperations {
  /** Makes the replica `to` primary without losing a write or failing a request. */
  switchOver(record: DatabaseRecord, shard: number, to: number): Promise<void>;
  /** Finishes or takes back the switchover whose intent is in the record. */
  resumeSwitchover(record: DatabaseRecord, shard: number): Promise<void>;
  /** Makes the replica `to` primary because the primary is dead. */
  failOver(record: DatabaseRecord, shard: number, to: number, lastSeen: LastSeenPrimary | undefined): Promise<void>;
  /** Lets the shards to be serve, without losing a write or failing a request. */
  switchTable(record: DatabaseRecord): Promise<void>;
  /** Takes back the switch to other shards that is in the record. */
  resumeTable(record: DatabaseRecord): Promise<void>;
  /** Points a replica at what it shall follow again: its primary, or the mover. */
  reattach(record: DatabaseRecord, shard: number, replica: number): Promise<void>;
  /** Ends the script that the primary runs; an engine refuses that once the script has written. */
  endScript(record: DatabaseRecord, shard: number): Promise<void>;
  /** Compares the content of a replica with that of its primary, until `signal` aborts. */
  verify(record: DatabaseRecord, shard: number, replica: number, signal: AbortSignal): Promise<void>;
  /** Forgets what it keeps of a database that is gone. */
  forget(database: number): void;
}
