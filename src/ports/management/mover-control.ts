import type { EngineCertificate } from "../../core/api/engine-certificate.ts";
import type { EngineLogin } from "../../core/api/engine-login.ts";
import type { Formatted } from "../../core/api/format.ts";
import type { SlotRange } from "../../core/base/slot-range.ts";
import type { Address, EnginePlace } from "./proxy-control.ts";

/**
 * A shard whose slots go to others. This file holds what an agent sends to its mover over the IPC channel of the child process, and what the mover
 * replies; the mover ends when the channel closes, and leaves nothing behind.
 */
export interface MoverSource {
  readonly id: number;
  readonly primary: EnginePlace;
  readonly slots: readonly SlotRange[];
}

/** A shard that gets slots. Its engine has nothing, and follows the mover. */
export interface MoverTarget {
  readonly id: number;
  /** Where the mover listens for its engine; port 0: one that is free. */
  readonly listen: Address;
  readonly slots: readonly SlotRange[];
}

/** The place of the stream of a source. */
export interface SourceOffset {
  readonly id: number;
  readonly offset: number;
}

export type MoverCommand =
  /** Once in the life of a mover. */
  | {
      readonly op: "begin";
      readonly bdb: number;
      readonly sources: readonly MoverSource[];
      readonly targets: readonly MoverTarget[];
      /** How the mover logs in to the sources, tried in this order, and who may be let in. Never logged. */
      readonly logins: readonly EngineLogin[];
      /** What the mover shows to engines that speak TLS; present when targets connect with it. Never logged. */
      readonly engineCertificate?: EngineCertificate;
    }
  | { readonly op: "status" }
  /** The targets have applied all that each source has written up to its offset. No client writes meanwhile. */
  | { readonly op: "reach"; readonly sources: readonly SourceOffset[]; readonly withinMs: number };

/** How far a source is passed on. */
export interface MoverSourceStatus extends SourceOffset {
  /** The replication id of its stream; empty before it is there. Another engine than the one that is followed has another, unless both have the same stream. */
  readonly history: string;
  /** `copying`: its snapshot is not over. */
  readonly state: "awaited" | "copying" | "following";
  /** Keys of its snapshot that were passed on. */
  readonly keys: number;
  /** Keys that have to be copied again, because a command changed keys of several targets. */
  readonly touched: number;
  /** Keys that it has although their slots are another shard's; absent: none was seen. */
  readonly misplaced?: MisplacedKeys;
}

/** Keys that scripts have written without declaring them, at shards that do not have their slots: no other request finds them, and nothing passes them on. */
export interface MisplacedKeys {
  readonly keys: number;
  /** One that is there: its numbered database, and its name or the beginning of that. Absent: there are so many that none is known by its name. */
  readonly example?: { readonly database: number; readonly name: string };
}

/** How the data of a target stand. */
export interface MoverTargetStatus {
  readonly id: number;
  /**
   * `awaited`: its engine has not asked for the data. `copying`: it gets the snapshot. `loading`: it has all of the snapshot and has not said yet that it
   * has taken it. `following`: it gets the stream.
   */
  readonly state: "awaited" | "copying" | "loading" | "following" | "over";
  /** Bytes of the snapshot that it has got. */
  readonly copiedBytes: number;
  /** Bytes of the stream that it has got, and how many of them it has applied. */
  readonly sent: number;
  readonly applied: number;
}

/** How the move stands. */
export interface MoverStatus {
  readonly sources: readonly MoverSourceStatus[];
  readonly targets: readonly MoverTargetStatus[];
  /** Why it cannot go on; absent while it can. The targets are worth nothing then. */
  readonly failure?: { readonly code: string; readonly message: string };
}

export type MoverReply =
  /** Where the mover listens for the engine of each target, in their order. */
  | { readonly ok: true; readonly op: "begin"; readonly ports: readonly number[] }
  | { readonly ok: true; readonly op: "status"; readonly status: MoverStatus }
  /** How the sources stand then. */
  | { readonly ok: true; readonly op: "reach"; readonly sources: readonly MoverSourceStatus[] }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** What a node is asked about a mover that it runs. */
export interface MoverQuestion {
  readonly bdb: number;
  /** The number of the attempt, as the record of the database says it: an answer about another one would be wrong. */
  readonly attempt: number;
  readonly question: Exclude<MoverCommand, { readonly op: "begin" }>;
}

export interface MoverRequestMessage {
  readonly id: number;
  readonly command: MoverCommand;
}

export interface MoverReplyMessage {
  readonly id: number;
  readonly reply: MoverReply;
}

export interface MoverReadyMessage extends Formatted {
  readonly ready: true;
}
