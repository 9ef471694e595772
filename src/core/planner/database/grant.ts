import { elapsedMs, hasCome, laterBy } from "../../base/instant.ts";
import type { Instant } from "../../base/instant.ts";

/** How long a node's lease holds for others without a renewal. */
export const NODE_LEASE_MS = 6_000;
/**
 * How long a node may acknowledge writes after the last proof that no other node takes over from it. Shorter than the lease by more than
 * clocks of one cluster drift in that time, and than a confirmation needs to arrive.
 */
export const GRANT_MS = 4_000;
/** A renewal that is so late makes a node ask the others to vouch for it. */
export const LATE_MS = 2_000;

/** What a node knows of its own standing. */
export interface GrantFacts {
  readonly now: Instant;
  /** When the newest renewal was sent that the API server confirmed. */
  readonly renewedAt: Instant;
  /** When the newest round began in which every other node promised to take nothing over from this one. */
  readonly vouchedAt: Instant;
  /** Until when its proxy may acknowledge as it stands. */
  readonly grantedUntil: Instant;
}

export type NodeGrant =
  /** Its proxy may acknowledge until then. */
  | { readonly kind: "granted"; readonly until: Instant }
  /** It has been out: what happened meanwhile must be read from the API, after a renewal, before anything is acknowledged. */
  | { readonly kind: "catch-up" }
  /** A replica may have been promoted: nothing may be acknowledged. */
  | { readonly kind: "cut-off" };

/**
 * Whether the primaries of a node may be succeeded without its knowledge. With the API away for all nodes none can be
 * succeeded, which the others' word proves; a node that neither reaches the API nor all the others cannot know.
 */
export function evaluateGrant({ now, renewedAt, vouchedAt, grantedUntil }: GrantFacts): NodeGrant {
  const confirmedAt = elapsedMs(renewedAt, now) <= elapsedMs(vouchedAt, now) ? renewedAt : vouchedAt;
  const until = laterBy(confirmedAt, GRANT_MS);
  if (hasCome(until, now)) return { kind: "cut-off" };
  return hasCome(grantedUntil, now) ? { kind: "catch-up" } : { kind: "granted", until };
}

/** What the others know of a node. */
export interface StandingFacts {
  /** It has ended in good order and given its lease up. */
  readonly gaveUp: boolean;
  /** Since a renewal of its lease was seen, by a clock that does not jump. */
  readonly silentForMs: number;
  /** Since this node last promised it to take nothing over; Infinity when it never did. */
  readonly promisedForMs: number;
}

/** False once a node can acknowledge nothing any more, and its primaries may be succeeded when it does not answer either. */
export function mayAcknowledge({ gaveUp, silentForMs, promisedForMs }: StandingFacts): boolean {
  return promisedForMs < NODE_LEASE_MS || (!gaveUp && silentForMs < NODE_LEASE_MS);
}
