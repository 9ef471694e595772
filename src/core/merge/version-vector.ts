/** One operation: who numbered it, and its number there. */
export interface Dot {
  /** A site and its incarnation, see `originOf`. */
  readonly origin: number;
  /** From 1, without a gap. */
  readonly seq: number;
}

/** Which operations are contained: of each origin all up to a number; none of an origin that is not named. */
export type VersionVector = Readonly<Record<number, number>>;

/** True when the operation is contained. */
export function covers(vector: VersionVector, { origin, seq }: Dot): boolean {
  return seq <= (vector[origin] ?? 0);
}

/** True when everything in `other` is contained. */
export function coversAll(vector: VersionVector, other: VersionVector): boolean {
  if (vector === other) return true;
  for (const origin in other) if ((other[origin] ?? 0) > (vector[origin] ?? 0)) return false;
  return true;
}

/** With this operation; a vector never loses one. */
export function including(vector: VersionVector, { origin, seq }: Dot): VersionVector {
  return covers(vector, { origin, seq }) ? vector : { ...vector, [origin]: seq };
}

/** With all of these operations: one copy at most, however many they are. */
export function includingAll(vector: VersionVector, dots: readonly Dot[]): VersionVector {
  let all: Record<number, number> | undefined;
  for (const dot of dots) {
    if (covers(all ?? vector, dot)) continue;
    all ??= { ...vector };
    all[dot.origin] = dot.seq;
  }
  return all ?? vector;
}

/** Without what `other` contains. */
export function without(vector: VersionVector, other: VersionVector): VersionVector {
  const left: Record<number, number> = {};
  for (const origin in vector) if ((vector[origin] ?? 0) > (other[origin] ?? 0)) left[origin] = vector[origin] ?? 0;
  return left;
}

/** What at least one of them contains. */
export function union(a: VersionVector, b: VersionVector): VersionVector {
  if (coversAll(a, b)) return a;
  if (coversAll(b, a)) return b;
  const both: Record<number, number> = { ...a };
  for (const origin in b) both[origin] = Math.max(a[origin] ?? 0, b[origin] ?? 0);
  return both;
}

/** What all of them contain. */
export function lowest(vectors: readonly VersionVector[]): VersionVector {
  const [first = {}, ...others] = vectors;
  const least: Record<number, number> = {};
  for (const origin in first) {
    const seq = Math.min(first[origin] ?? 0, ...others.map((vector) => vector[origin] ?? 0));
    if (seq > 0) least[origin] = seq;
  }
  return least;
}
