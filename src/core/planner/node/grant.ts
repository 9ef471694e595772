/** A moment that came before any other. */
export const LONG_AGO = Number.NEGATIVE_INFINITY;

/** How long a node's lease holds for others without a renewal. */
export const NODE_LEASE_MS = 6_000;
/**
 * How long a node may acknowledge writes after the last proof that no other node takes over from it. Shorter than the lease by more than
 * clocks of one cluster drift in that time, and than a confirmation needs to arrive.
 */
export const GRANT_MS = 4_000;
/** A renewal that is so late makes a node ask the others for their promises. */
export const LATE_MS = 2_000;

/** What a node knows of its own standing; moments in milliseconds of uptime, which no clock setting changes. */
export interface GrantFacts {
  readonly now: number;
  /** When the newest renewal was sent that the API server confirmed. */
  readonly renewedAt: number;
  /** When the newest round began in which a majority of its voters promised to take nothing over from this one. */
  readonly vouchedAt: number;
  /** As `vouchedAt`, of voters that have consented to no take-over from this node since it last held a grant. */
  readonly unbrokenAt: number;
  /** Until when its proxy may acknowledge as it stands. */
  readonly grantedUntil: number;
}

export type NodeGrant =
  /** Its proxy may acknowledge until then. */
  | { readonly kind: "granted"; readonly until: number }
  /** It has been out, and may have been succeeded: the API must be read, after a renewal, before anything is acknowledged. */
  | { readonly kind: "catch-up" }
  /** A replica may have been promoted: nothing may be acknowledged. */
  | { readonly kind: "cut-off" };

/**
 * Whether another node may take over the primaries of a node without its knowledge. When no node reaches the API, none can take over, which the
 * promises of the voters prove; a node that reaches neither the API nor a majority of its voters cannot know. A node that has been out goes on
 * when voters promise that consented to nothing meanwhile: without them none could take over.
 */
export function evaluateGrant({ now, renewedAt, vouchedAt, unbrokenAt, grantedUntil }: GrantFacts): NodeGrant {
  const until = Math.max(renewedAt, vouchedAt) + GRANT_MS;
  if (now >= until) return { kind: "cut-off" };
  if (now < grantedUntil) return { kind: "granted", until };
  const unbrokenUntil = unbrokenAt + GRANT_MS;
  return now < unbrokenUntil ? { kind: "granted", until: unbrokenUntil } : { kind: "catch-up" };
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

/** What a node has said about another one, and for how long it runs; in milliseconds of a clock that does not jump. */
export interface PledgeFacts {
  /** Since it promised to take nothing over; Infinity when it never did. */
  readonly promisedForMs: number;
  /** Since it consented to a take-over; Infinity when it never did. */
  readonly consentedForMs: number;
  /** Since its process started: it does not know what an earlier one said. */
  readonly runningForMs: number;
}

/** A node that consented to a take-over, as far as it can know, promises nothing until the take-over has ended or failed. */
export function mayPromise({ consentedForMs, runningForMs }: PledgeFacts): boolean {
  return consentedForMs >= NODE_LEASE_MS && runningForMs >= NODE_LEASE_MS;
}

/** A node consents once every promise that it may have given has ended, and the grant that rests on it. */
export function mayConsent({ promisedForMs, runningForMs }: PledgeFacts): boolean {
  return promisedForMs >= NODE_LEASE_MS && runningForMs >= NODE_LEASE_MS;
}
