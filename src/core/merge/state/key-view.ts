import { ABSENT, AGREED, contentFrom, contentOf, winnerOf, type Cell, type Content } from "./cell.ts";
import { keepsBase, type Expiry, type KeyState, type Stamp } from "./key-state.ts";
import { KEY_TYPES, type KeyType } from "../operations/operation.ts";
import { compareTimestamps } from "../operations/timestamp.ts";
import { covers } from "../operations/version-vector.ts";

/** When a key expires: as the sites had agreed on, or at a time, or never. */
export type ExpiresAt = "base" | number | undefined;

/** The type that the key has, if it exists; undefined: that which was agreed on. */
export function typeOf({ latest }: KeyState): KeyType | undefined {
  let best: KeyType | undefined;
  let stamp: Stamp | undefined;
  for (const type of KEY_TYPES) {
    const each = latest[type];
    if (each === undefined || (stamp !== undefined && compareTimestamps(stamp.at, each.at) > 0)) continue;
    [best, stamp] = [type, each];
  }
  return best;
}

/** What an element holds, of the type that the key has. */
export function elementContent(state: KeyState, type: KeyType, element: string): Content {
  const cell = state.cells[type]?.get(element);
  if (!hasOtherType(state, type)) return cell === undefined ? unnamedContent(state) : contentOf(cell);
  return cell === undefined || typeOf(state) !== type ? ABSENT : contentFrom(countedCell(state, type, cell));
}

/** The elements of a type of which more is known than what was agreed on. */
export function knownElements({ cells }: KeyState, type: KeyType): readonly string[] {
  return [...(cells[type]?.keys() ?? [])];
}

/** The types of which more is known than what was agreed on. */
export function knownTypes({ cells }: KeyState): readonly KeyType[] {
  return entries(cells).map(([type]) => type);
}

/** The cell of an element without the writes that are older than a write of another type, which took the place of the whole key. */
export function countedCell(state: KeyState, type: KeyType, cell: Cell): Cell {
  const others = entries(state.latest).filter(([other]) => other !== type);
  if (others.length === 0) return cell;
  const isNewer = ({ at }: Stamp): boolean => others.every(([, other]) => compareTimestamps(other.at, at) < 0);
  return { ...cell, base: false, puts: cell.puts.filter(isNewer), sums: cell.sums.filter(isNewer), content: undefined };
}

/** When the key expires: of times that were set at once the latest. */
export function expiresAt(state: KeyState): ExpiresAt {
  if (state.expiries.length === 0) return state.baseExpiry ? "base" : undefined;
  const times = state.expiries.filter((expiry) => counts(state, expiry)).map(({ until }) => until);
  if (times.length === 0) return undefined;
  return times.reduce((best, each) => (best === undefined || each === undefined ? undefined : Math.max(best, each)));
}

/**
 * A time of expiry counts for what the key held when it was set, and for what was added beside it. A string that was written
 * beside it and counts as later has none, and neither has a key that was made again after it.
 */
function counts(state: KeyState, { dot, seen }: Expiry): boolean {
  if (typeOf(state) !== "string") return true;
  const known = state.cells.string?.get("");
  if (known === undefined) return keepsBase(state);
  const { puts, sums, base } = countedCell(state, "string", known);
  const winner = winnerOf(puts)?.dot;
  const isOwn = winner?.origin === dot.origin && winner.seq === dot.seq;
  if (winner !== undefined && !isOwn && !covers(seen, winner)) return false;
  return base || [...puts, ...sums].some((each) => !covers(each.seen, dot));
}

function unnamedContent(state: KeyState): Content {
  return keepsBase(state) ? AGREED : ABSENT;
}

function hasOtherType({ latest }: KeyState, type: KeyType): boolean {
  for (const other in latest) if (other !== type) return true;
  return false;
}

/** What there is for each type. */
export function entries<V>(of: Readonly<Partial<Record<KeyType, V>>>): readonly (readonly [KeyType, V])[] {
  return KEY_TYPES.flatMap((type) => {
    const value = of[type];
    return value === undefined ? [] : [[type, value] as const];
  });
}
