import { newCell, type Cell } from "./cell.ts";
import { keepsBase, type Expiry, type KeyState } from "./key-state.ts";
import { entries } from "./key-view.ts";
import type { KeyType } from "../operations/operation.ts";
import { compareTimestamps } from "../operations/timestamp.ts";
import {
  covers,
  coversAll,
  isNothing,
  union,
  without,
  type Dot,
  type VersionVector,
} from "../operations/version-vector.ts";

/** What two sites had received when they knew of a key what is joined. */
export interface JoinedVectors {
  readonly own: VersionVector;
  readonly other: VersionVector;
}

/**
 * Adds to what a site knows of a key what the other site knows of it, as if the site had all operations that the other one has received. Each
 * must have received what the other one has forgotten: an operation that one of them lacks has then seen all that the other one has forgotten,
 * and what is left at the other site shows what its operations replaced.
 */
export function joinKey(own: KeyState, other: KeyState, received: JoinedVectors): void {
  // a key that came from another site may be further than the site
  const vectors = { own: union(received.own, own.touched), other: union(received.other, other.touched) };
  for (const [type, elements] of entries(other.cells))
    for (const [element, cell] of elements) joinElement(own, { type, element }, cell, other.clears, vectors);
  for (const [type, elements] of entries(own.cells))
    for (const element of elements.keys())
      if (other.cells[type]?.has(element) !== true)
        joinElement(own, { type, element }, unnamedIn(other), other.clears, vectors);
  joinExpiries(own, other, vectors);
  joinLatest(own, other, vectors);
  own.clears = union(own.clears, without(other.clears, vectors.own));
  own.touched = union(own.touched, other.touched);
  own.ends = undefined;
}

/** An element that is not named is as all sites had agreed on, or nothing is left of it. */
function unnamedIn({ clears }: KeyState): Cell {
  return newCell(isNothing(clears));
}

function joinElement(
  own: KeyState,
  { type, element }: { readonly type: KeyType; readonly element: string },
  theirs: Cell,
  theirClears: VersionVector,
  vectors: JoinedVectors,
): void {
  const known = own.cells[type]?.get(element);
  if (known === undefined && coversAll(vectors.own, theirs.touched)) return;
  const cell = known ?? newCell(keepsBase(own));
  (own.cells[type] ??= new Map<string, Cell>()).set(element, cell);
  const isReplaced = !coversAll(vectors.own, union(theirs.writes, theirClears));
  cell.base &&= !isReplaced;
  cell.puts = joinValues(cell.puts, theirs.puts, theirs.base, vectors);
  cell.sums = joinValues(cell.sums, theirs.sums, theirs.base, vectors);
  cell.touched = union(cell.touched, theirs.touched);
  cell.writes = union(cell.writes, without(theirs.writes, vectors.own));
  cell.content = undefined;
}

function joinExpiries(own: KeyState, other: KeyState, vectors: JoinedVectors): void {
  const timed = without(other.timed, vectors.own);
  own.baseExpiry &&= isNothing(timed) && coversAll(vectors.own, other.clears);
  own.expiries = joinValues<Expiry>(own.expiries, other.expiries, other.baseExpiry, vectors);
  own.timed = union(own.timed, timed);
}

function joinLatest(own: KeyState, other: KeyState, vectors: JoinedVectors): void {
  for (const [type, stamp] of entries(other.latest)) {
    const known = own.latest[type];
    if (covers(vectors.own, stamp.dot) || (known !== undefined && compareTimestamps(stamp.at, known.at) < 0)) continue;
    own.latest[type] = stamp;
  }
}

/** `keepsBase`: the other site has removed nothing that this one does not know of. */
function joinValues<T extends { readonly dot: Dot }>(
  own: readonly T[],
  theirs: readonly T[],
  keepsOwn: boolean,
  vectors: JoinedVectors,
): T[] {
  const there = new Set(theirs.map(nameOf));
  const left = own.filter((each) => keepsOwn || !covers(vectors.other, each.dot) || there.has(nameOf(each)));
  const here = new Set(left.map(nameOf));
  return [...left, ...theirs.filter((each) => !covers(vectors.own, each.dot) && !here.has(nameOf(each)))];
}

function nameOf({ dot }: { readonly dot: Dot }): string {
  return `${dot.origin}:${dot.seq}`;
}
