/** One operation: the site that made it, and its number there. */
export interface Dot {
  readonly site: number;
  readonly seq: number;
}

/** Which operations are contained: of each site all up to a number; none of a site that is not named. */
export type VersionVector = Readonly<Record<number, number>>;

/** True when the operation is contained. */
export function covers(vector: VersionVector, { site, seq }: Dot): boolean {
  return seq <= (vector[site] ?? 0);
}

/** True when everything in `other` is contained. */
export function coversAll(vector: VersionVector, other: VersionVector): boolean {
  return Object.entries(other).every(([site, seq]) => covers(vector, { site: Number(site), seq }));
}

/** With this operation; a vector never loses one. */
export function including(vector: VersionVector, { site, seq }: Dot): VersionVector {
  return covers(vector, { site, seq }) ? vector : { ...vector, [site]: seq };
}

/** What all of them contain, for these sites. */
export function lowest(vectors: readonly VersionVector[], sites: readonly number[]): VersionVector {
  const least = (site: number): number => Math.min(...vectors.map((vector) => vector[site] ?? 0));
  return Object.fromEntries(sites.map((site) => [site, least(site)]));
}
