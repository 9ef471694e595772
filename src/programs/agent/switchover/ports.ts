import type { DatabaseRecord, InstanceRecord } from "../../../core/api/records.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { ProxyCommand, ProxyReply, SyncReplicas } from "../../../ports/management/proxy-control.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";

/** The proxy of one node. */
export interface ProxyPort {
  readonly node: number;
  /** Rejects when the proxy cannot be reached or does not answer within the port's own deadline. */
  send(command: ProxyCommand): Promise<ProxyReply>;
  /** The node is known to be dead: its lease has expired, and what its proxy does no longer matters. */
  readonly isDead: () => boolean;
  /** Asks the API server: true when the node can acknowledge nothing and has not come back since. */
  readonly isFenced: () => Promise<boolean>;
}

/** What a change of primary works on; one value for one database. */
export interface ShardPorts {
  /** The proxy of each node that may have clients. */
  readonly proxies: readonly ProxyPort[];
  /** Undefined while the node of the instance has no address. */
  readonly addressOf: (instance: InstanceRecord) => EngineAddress | undefined;
  /** Compare-and-swap on the database's record: applied to what is stored, the answer is what is stored then. */
  readonly change: (change: (record: DatabaseRecord) => DatabaseRecord) => Promise<DatabaseRecord>;
  /** What replies of the primary of a shard wait for, by that record; undefined: for nothing. */
  readonly syncOf: (record: DatabaseRecord, shard: number) => SyncReplicas | undefined;
  readonly log: Log;
  /** Deadlines of holds count by its uptime, which goes on while the machine sleeps. */
  readonly clock: Pick<Clock, "uptimeMs">;
  /** Called before each step. When it rejects, the step counts as failed and is not taken. */
  readonly before?: (step: SwitchoverStep) => Promise<void>;
}

/** Deadlines of a planned switchover, in milliseconds. */
export const SWITCHOVER_MS = {
  /** For requests that have been at the primary for long, before any client has to wait. */
  quiet: 1_000,
  /** For the link of an Active-Active database to write down how far it is. */
  link: 2_000,
  /** For the requests of clients that are in flight, while clients wait. */
  drain: 500,
  /** After this a proxy that gets no further command goes on with the old primary. */
  hold: 5_000,
  /** The fence on the old primary; longer than another leader needs to take over. */
  pause: 30_000,
  /** What a promotion and the release behind it may take: none begins when less is left of the first hold. */
  promotion: 2_000,
  /** For the record after a promotion: what follows demotes the old primary, and must come before its fence ends. */
  record: 10_000,
} as const;

export const SWITCHOVER_STEPS = [
  "check",
  "intend",
  "prepare",
  "hold",
  "pause",
  "catch-up",
  "fence",
  "promote",
  "release",
  "demote",
  "commit",
] as const;
export type SwitchoverStep = (typeof SWITCHOVER_STEPS)[number];

/** Milliseconds; `…At` since the hold was asked for. */
export interface SwitchoverTimings {
  /** What the slowest proxy needed until nothing was in flight. */
  readonly drainMs: number;
  readonly pausedAtMs: number;
  readonly caughtUpAtMs: number;
  readonly promotedAtMs: number;
  readonly releasedAtMs: number;
  /** The longest that any proxy held its clients. */
  readonly heldMs: number;
  /** From the checks to the record, both included. */
  readonly totalMs: number;
}

export type SwitchoverResult =
  | {
      readonly kind: "done";
      readonly record: DatabaseRecord;
      readonly timings: SwitchoverTimings;
      /** Nodes whose proxy did not confirm the release; they learn of the new primary from the record. */
      readonly unreleased: readonly number[];
      /** Instances that could not be attached to the new primary; the leader attaches them later. */
      readonly unattached: readonly number[];
    }
  /** Nothing was touched. */
  | { readonly kind: "refused"; readonly reason: string; readonly obstacle?: Finding }
  /** The old primary serves as before. */
  | {
      readonly kind: "aborted";
      readonly step: SwitchoverStep;
      readonly reason: string;
      /** For how long clients were asked to wait, in milliseconds; 0 when it did not get that far. */
      readonly heldMs: number;
    }
  /** Whether the target was promoted is unknown: the intent stays, and `resolveIntent` finds out. */
  | {
      readonly kind: "unresolved";
      readonly step: SwitchoverStep;
      readonly reason: string;
      /** For how long clients are held at most: until they were released, or until the end of the hold. */
      readonly heldMs: number;
    };
