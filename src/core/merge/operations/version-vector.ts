/** One operation: who numbered it, and its number there. */
export interface Dot {
  /** A site and its incarnation, see `originOf`. */
  readonly origin: number;
  /** From 1, without a gap. */
  readonly seq: number;
}

declare const flat: unique symbol;

/**
 * Which operations are contained: of each origin all up to a number; none of an origin that is not named. It never changes. A site keeps
 * some for each element, so it is one list, origin and number in turn, by origin: an object takes three times the memory.
 */
export interface VersionVector {
  readonly [flat]: true;
}

/** Contains no operation. */
export const NOTHING = asVector([]);

/** All operations up to these numbers, 0 of an origin that is only named; each origin comes once. */
export function vectorOf(pairs: Iterable<readonly [origin: number, seq: number]>): VersionVector {
  return asVector([...pairs].sort(([one], [other]) => one - other).flat());
}

/** Each origin with its number, by origin. */
export function* pairsOf(vector: VersionVector): Generator<readonly [origin: number, seq: number]> {
  const list = listOf(vector);
  for (let at = 0; at < list.length; at += 2) yield [list[at] ?? 0, list[at + 1] ?? 0];
}

/** Each origin that is named. */
export function originsOf(vector: VersionVector): readonly number[] {
  return listOf(vector).filter((_, index) => index % 2 === 0);
}

/** What is said of the origins that `other` names. */
export function ofOrigins(vector: VersionVector, other: VersionVector): VersionVector {
  const named = new Set(originsOf(other));
  return vectorOf(pairsOf(vector).filter(([origin]) => named.has(origin)));
}

/** The highest operation of this origin that is contained; 0 for none. */
export function seqOf(vector: VersionVector, origin: number): number {
  const list = listOf(vector);
  for (let at = 0; at < list.length; at += 2) if (list[at] === origin) return list[at + 1] ?? 0;
  return 0;
}

/** True when no origin is named. */
export function isNothing(vector: VersionVector): boolean {
  return listOf(vector).length === 0;
}

/** True when the operation is contained. */
export function covers(vector: VersionVector, { origin, seq }: Dot): boolean {
  return seq <= seqOf(vector, origin);
}

/** True when everything in `other` is contained. */
export function coversAll(vector: VersionVector, other: VersionVector): boolean {
  if (vector === other) return true;
  const [list, own] = [listOf(other), listOf(vector)];
  let here = 0;
  for (let at = 0; at < list.length; at += 2) {
    const origin = list[at] ?? 0;
    while (here < own.length && (own[here] ?? 0) < origin) here += 2;
    const seq = own[here] === origin ? (own[here + 1] ?? 0) : 0;
    if ((list[at + 1] ?? 0) > seq) return false;
  }
  return true;
}

/** With this operation; a vector never loses one. */
export function withDot(vector: VersionVector, dot: Dot): VersionVector {
  return covers(vector, dot) ? vector : insertDot(vector, dot);
}

/** With all of these operations. */
export function includingAll(vector: VersionVector, dots: Iterable<Dot>): VersionVector {
  const latest = new Map<number, number>();
  for (const { origin, seq } of dots) if (seq > (latest.get(origin) ?? 0)) latest.set(origin, seq);
  return union(vector, vectorOf(latest));
}

/** Without what `other` contains. */
export function without(vector: VersionVector, other: VersionVector): VersionVector {
  return vectorOf(pairsOf(vector).filter(([origin, seq]) => seq > seqOf(other, origin)));
}

/** What at least one of them contains. */
export function union(a: VersionVector, b: VersionVector): VersionVector {
  if (coversAll(b, a)) return coversAll(a, b) ? a : b;
  let both = a;
  for (const [origin, seq] of pairsOf(b)) both = withDot(both, { origin, seq });
  return both;
}

/** What all of them contain. */
export function lowest([first = NOTHING, ...others]: readonly VersionVector[]): VersionVector {
  const least = ([origin, seq]: readonly [number, number]): readonly [number, number] => {
    return [origin, Math.min(seq, ...others.map((vector) => seqOf(vector, origin)))];
  };
  return vectorOf(
    pairsOf(first)
      .map(least)
      .filter(([, seq]) => seq > 0),
  );
}

/** In a list of its exact length: one that is pushed to has room for 16 more. */
function insertDot(vector: VersionVector, { origin, seq }: Dot): VersionVector {
  const list = listOf(vector);
  let at = 0;
  while (at < list.length && (list[at] ?? 0) < origin) at += 2;
  return asVector(list.toSpliced(at, list[at] === origin ? 2 : 0, origin, seq));
}

function asVector(list: readonly number[]): VersionVector {
  return list as unknown as VersionVector;
}

function listOf(vector: VersionVector): readonly number[] {
  return vector as unknown as readonly number[];
}

/** How many operations one of them contains that the other one lacks. */
export function countMissing(own: VersionVector, received: VersionVector): number {
  return pairsOf(own).reduce((sum, [origin, seq]) => sum + Math.max(0, seq - seqOf(received, origin)), 0);
}
