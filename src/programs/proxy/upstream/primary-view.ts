import type { Upstream } from "./upstream.ts";

/** The primary of one shard, as the sessions of its endpoint see it. */
export interface PrimaryView {
  /** The engine that serves now; undefined while there is no primary. */
  readonly upstream: Upstream | undefined;
  /** No request is taken from clients at the moment. */
  readonly held: boolean;
  /** A hold has ended at its own deadline, and no release or abort since: the engine may stop being the primary unannounced. */
  readonly doubtful: boolean;
  /** When clients were last held, or there was last no primary that could be reached, by `performance.now`. */
  readonly heldUntil: number;
  /** There has been no primary for longer than `holdMs`, or clients are kept from it: they get an error. */
  readonly unavailable: boolean;
  /** That error, encoded. */
  readonly refusal: Buffer;
  /** How long a client may wait for a primary, in milliseconds. */
  readonly holdMs: number;
}
