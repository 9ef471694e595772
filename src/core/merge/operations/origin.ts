import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";
import { pairsOf, seqOf, vectorOf, type VersionVector } from "./version-vector.ts";

/**
 * Who numbers operations: a site, in one of its incarnations. A site gets a new incarnation when it no longer knows how far it
 * has read the stream of its engine, so that no number is given twice.
 */
export function originOf(site: number, incarnation: number): number {
  return site + SITES * incarnation;
}

/** The site of an origin. */
export function siteOf(origin: number): number {
  return origin % SITES;
}

/** The incarnation of that site; the first one is 0. */
export function incarnationOf(origin: number): number {
  return Math.floor(origin / SITES);
}

/**
 * Whether a number can be an origin. A site that reads another one would say it again to all others, in messages that have an end, and number
 * its own operations above it.
 */
export function isOrigin(origin: number): boolean {
  return Number.isSafeInteger(origin) && siteOf(origin) > 0 && incarnationOf(origin) <= LAST_INCARNATION;
}

/** What a vector says of one site. */
export function ofSite(site: number, vector: VersionVector): VersionVector {
  return vectorOf(pairsOf(vector).filter(([origin]) => siteOf(origin) === site));
}

/** The origin for a site that knows of nothing, by all that the other sites have received. */
export function laterOrigin(site: number, received: readonly VersionVector[]): number {
  const origins = received.flatMap((vector) => [...pairsOf(vector)].map(([origin]) => origin));
  const incarnations = origins.filter((origin) => siteOf(origin) === site && isBelieved(origin)).map(incarnationOf);
  return originOf(site, Math.max(-1, ...incarnations) + 1);
}

/** The last operation that a vector has of a site, of those that are believed: of the latest incarnation. */
export function lastOf(site: number, vector: VersionVector): VersionVector {
  const latest = [...pairsOf(vector)].findLast(([origin]) => siteOf(origin) === site && isBelieved(origin));
  return vectorOf(latest === undefined ? [] : [latest]);
}

/** What the other sites have said to have of a site. */
export interface OtherSites {
  readonly received: readonly VersionVector[];
  /** Every other site has said it. */
  readonly isComplete: boolean;
}

/** How far a site knows to have numbered its operations. */
export interface Numbered {
  readonly origin: number;
  readonly seq: number;
}

/**
 * True when another site has an operation of this one that is not among its own: this site has lost operations that it had sent, and gives no
 * further number.
 */
export function isOutnumbered({ origin, seq }: Numbered, received: readonly VersionVector[]): boolean {
  const isBeyond = ([other, last]: readonly [number, number]): boolean =>
    siteOf(other) === siteOf(origin) && isBelieved(other) && (other > origin || (other === origin && last > seq));
  return received.some((vector) => [...pairsOf(vector)].some(isBeyond));
}

/** Throws MERGE_OUTNUMBERED where another site has operations of this one that are not here: a site that took in that it has them would number on from there. */
export function requireOwn(own: Numbered, received: VersionVector): void {
  if (seqOf(received, own.origin) > own.seq || isOutnumbered(own, [received]))
    throw new Fault(faults.outnumbered, "Another site says that it has operations of this one which are not here.");
}

/** Whether another site is believed when it says that a site had this origin. */
export function isBelieved(origin: number): boolean {
  return isOrigin(origin) && incarnationOf(origin) <= LAST_BELIEVED;
}

/**
 * The origin for a site whose memory may be older than what it has sent. While another site has not said what it has, the incarnation follows
 * the clock (milliseconds since 1970): an incarnation that is nowhere remembered here had an earlier time.
 */
export function originAfter({ origin }: Numbered, { received, isComplete }: OtherSites, now: number): number {
  // its own one counts, however late that is
  const later = Math.max(laterOrigin(siteOf(origin), received), originOf(siteOf(origin), incarnationOf(origin) + 1));
  const byClock = Math.floor((now - CLOCK_BEGINS_MS) / CLOCK_UNIT_MS);
  return isComplete ? later : originOf(siteOf(origin), Math.max(incarnationOf(later), byClock));
}

/** Incarnations by the clock count so many milliseconds from here: for ten years, links of release 0.4.0 read such a number. */
const CLOCK_BEGINS_MS = Date.UTC(2025, 0, 1);
const CLOCK_UNIT_MS = 20_000;

/** By the clock that is in the year 3386. */
const LAST_INCARNATION = 2 ** 31;
/**
 * Another site that says of this one to have had a later incarnation is not believed: one false word would take the numbers that this site
 * has for all time.
 */
const LAST_BELIEVED = 2 ** 30;

/** Sites have the numbers from 1 to 63. */
const SITES = 64;
