import type { DatabaseRecord, ShardRecord } from "../../../core/api/records.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { MoverQuestion, MoverReply } from "../../../ports/management/mover-control.ts";
import type { EndpointShard, EnginePlace } from "../../../ports/management/proxy-control.ts";
import type { ShardPorts } from "./ports.ts";

/** What a change of all shards works on. */
export interface TablePorts extends Omit<ShardPorts, "before"> {
  /** Asks the mover of the attempt that this record names. */
  readonly askMover: (record: DatabaseRecord, question: MoverQuestion["question"]) => Promise<MoverReply>;
  /** Shards of this record as proxies get them. */
  readonly shown: (record: DatabaseRecord, shards: readonly ShardRecord[]) => readonly EndpointShard[];
  /** Where the engines to be find the mover; undefined while its node has no address. */
  readonly placeOf: (upstream: {
    readonly node: number;
    readonly port: number;
    readonly tls?: true;
  }) => EnginePlace | undefined;
  readonly now: () => Date;
  /** Called before each step. When it rejects, the step counts as failed and is not taken. */
  readonly before?: (step: TableStep) => Promise<void>;
}

/** Deadlines of a switch to the next table, in milliseconds. */
export const TABLE_MS = {
  /** For requests that have been at a primary for long, before any client has to wait. */
  quiet: 1_000,
  /** After this a proxy that gets no further command goes on with the former shards. */
  hold: 10_000,
  /** The first fence on the former primaries. The second has no end: they become replicas of nothing. */
  pause: 30_000,
  /** For what the mover has not passed on yet, while clients wait. */
  reach: 3_000,
  /** What the end of writes and the promotions may take: neither begins when less is left of the first hold. */
  promotions: 4_000,
  /** What the release may take. */
  release: 2_000,
  /**
   * How long former primaries stay, longer than a node without its lease acknowledges anything: a proxy that learns late of the next table gets a
   * refusal from them, and sends its requests there.
   */
  retire: 10_000,
} as const;

export const TABLE_STEPS = [
  "check",
  "intend",
  "prepare",
  "hold",
  "pause",
  "reach",
  "follow",
  "demote",
  "promote",
  "release",
  "commit",
] as const;
export type TableStep = (typeof TABLE_STEPS)[number];

export type TableResult =
  | {
      readonly kind: "done";
      readonly record: DatabaseRecord;
      /** The longest that any proxy held its clients, in milliseconds. */
      readonly heldMs: number;
      /** Nodes whose proxy did not confirm the release; they learn of the table from the record. */
      readonly unreleased: readonly number[];
    }
  /** Nothing was touched. */
  | { readonly kind: "refused"; readonly reason: string; readonly obstacle?: Finding }
  /** The former shards serve as before, or are about to. */
  | { readonly kind: "aborted"; readonly step: TableStep; readonly reason: string; readonly heldMs: number }
  /** The record still has the switch that has begun: a later pass ends it, by what the engines show. */
  | { readonly kind: "unresolved"; readonly step: TableStep; readonly reason: string; readonly heldMs: number };
