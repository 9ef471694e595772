import type { Upstream } from "../upstream/upstream.ts";

/** What a search for the client that is to get invalidations has to know. */
export interface ReceiverQuestion {
  /** Its number at the endpoint. */
  readonly target: number;
  /** The engine that tracks. */
  readonly upstream: Upstream;
  /** The engine does not know what the former one tracked: the client is sent that nothing is valid. */
  readonly isMoved: boolean;
}

/** What comes of looking for the client that is to get invalidations. */
export type ReceiverOutcome =
  /** The engine's CLIENT ID of the connection that takes them for it; 0 when there is no such client. */
  | { readonly id: number }
  /** Why that is not known. */
  | { readonly missing: string };

/** What engines push to a connection with RESP3. */
export const PUSHING = { protocol: 3, database: 0 } as const;
