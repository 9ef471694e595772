import type { SlotRange } from "../base/slot-range.ts";
import type { StoreVersion } from "./store-versions.ts";

/** One engine process that the record asks for. */
export interface InstanceRecord {
  /** Unique within the database, never reused. */
  readonly id: number;
  /** uid of the node that runs it. */
  readonly node: number;
  /** TCP port on that node's address. */
  readonly port: number;
  readonly storeVersion: StoreVersion;
  /** Its port speaks TLS alone; absent: it does not, as everywhere before release 0.4.0. */
  readonly tls?: true;
  /**
   * How many starts as primary the leader has allowed. An agent starts a primary only when this is higher than the
   * number it has already used (kept in the data directory), so a crashed primary never starts empty without the leader.
   */
  readonly launch: number;
}

/** A switchover that has begun. The next leader asks the target for its role, and completes or withdraws it. */
export interface SwitchoverIntent {
  readonly to: number;
  /** The epoch that begins when `to` is promoted. */
  readonly epoch: number;
  /** The primary is cut off and is not asked: from now on no proxy speaks to it. */
  readonly forced?: true;
}

/** Replicas that may succeed the primary: the node of the primary takes one out before it may be promoted without what it lacks. */
export interface InSyncSet {
  /** The set counts in this epoch alone: a leader that knows no set changes the epoch and leaves the set as it was. */
  readonly epoch: number;
  /** ids of replicas. */
  readonly members: readonly number[];
  /**
   * Present while replies of the database wait for replicas: those that proxies are to wait for from now on. They become
   * members once every proxy does, and they have what was acknowledged before.
   */
  readonly joining?: readonly number[];
  /** Rises with each change of the set; absent: 0. */
  readonly version?: number;
}

/** What a shard that is brought back from its disks lacks; present only while the shard is in recovery. */
export interface ShardRecovery {
  /** The data that is gone, without which the shard comes back; empty when nothing is known to be gone. */
  readonly lacks: string;
  /** A user agreed that it comes back without what is gone. */
  readonly consent?: true;
  /** Its primary may start in a data directory that holds nothing. */
  readonly empty?: true;
  /** It never had data: they are to be restored, and no engine of it starts before. */
  readonly awaited?: true;
}

/** A shard that is asked for. */
export interface NamedShard {
  readonly slots: readonly SlotRange[];
  /** Its part of what the database may use, in slots of 16,384, beside those of other new shards; absent: as many as it has. */
  readonly share?: number;
}

/** A slice of the key space: one primary and its replicas. */
export interface ShardRecord {
  readonly id: number;
  /** Rises by one with each change of primary; agents and proxies refuse a lower one. */
  readonly epoch: number;
  /** id of the instance that serves. */
  readonly primary: number;
  readonly instances: readonly InstanceRecord[];
  readonly switchover?: SwitchoverIntent;
  /** Absent: never written, because it has no replica or its node is of a release before 0.4.0. */
  readonly inSync?: InSyncSet;
  /** Absent: the shard is not in recovery. The only shard of a database has it stored as a field of the database. */
  readonly recovery?: ShardRecovery;
  /** The slots whose keys it has; absent: all, as the only shard. Each slot of a database has exactly one shard. */
  readonly slots?: readonly SlotRange[];
  /** Its part of what the database may use, in slots of 16,384; absent: as many as it has. Few slots may hold much. */
  readonly share?: number;
}

/**
 * Other shards that have begun: new ones beside those that serve, in the place of all of these with which they share a slot. The others are kept
 * (docs/decisions/0048-shards-move-by-movers.md).
 */
export interface ReshapeIntent {
  /** The epoch of the table that begins with the new shards; it rises each time that a hold for it is taken back. */
  readonly tableEpoch: number;
  /**
   * `copy`: mover and engines work. `hold`: written before clients are held; what the engines show says whether the new shards serve them. `return`: the new
   * table does not come, and the former shards are to serve again. `retire`: the new table serves, and `shards` are the former ones that are not kept, which go.
   */
  readonly phase: ReshapePhase;
  /** In the order of their slots. */
  readonly shards: readonly ShardRecord[];
  readonly mover: MoverPlace;
  /** Rises each time that copying begins anew: a mover of another number is ended, and engines follow the new one. */
  readonly attempt: number;
  /** ISO instant. */
  readonly since: string;
  /** Why the attempt before has ended; absent in the first one. */
  readonly failed?: { readonly code: string; readonly why: string };
  /** In `retire` alone: the ISO instant until which the former primaries stay, and refuse writes. */
  readonly until?: string;
}

/** Where the mover of a database runs: it listens on one port for the primary of each new shard, in their order. */
export interface MoverPlace {
  readonly node: number;
  readonly ports: readonly number[];
}

/** The phases of another number of shards, in their order. */
export const RESHAPE_PHASES = ["copy", "hold", "return", "retire"] as const;
export type ReshapePhase = (typeof RESHAPE_PHASES)[number];
