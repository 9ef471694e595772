import { pairsOf, vectorOf, type VersionVector } from "./version-vector.ts";

/**
 * Who numbers operations: a site, in one of its incarnations. A site gets a new incarnation when it no longer knows how far it
 * has read the stream of its engine, so that no number is given twice.
 */
export function originOf(site: number, incarnation: number): number {
  return site + SITES * incarnation;
}

/** The site that numbers operations so. */
export function siteOf(origin: number): number {
  return origin % SITES;
}

/** The incarnation of that site; the first one is 0. */
export function incarnationOf(origin: number): number {
  return Math.floor(origin / SITES);
}

/** What a vector says of one site. */
export function ofSite(site: number, vector: VersionVector): VersionVector {
  return vectorOf(pairsOf(vector).filter(([origin]) => siteOf(origin) === site));
}

/** How a site that knows of nothing numbers its operations, by all that the other sites have received. */
export function laterOrigin(site: number, received: readonly VersionVector[]): number {
  const origins = received.flatMap((vector) => [...pairsOf(vector)].map(([origin]) => origin));
  const incarnations = origins.filter((origin) => siteOf(origin) === site).map(incarnationOf);
  return originOf(site, Math.max(-1, ...incarnations) + 1);
}

/** Sites have the numbers from 1 to 63. */
const SITES = 64;
