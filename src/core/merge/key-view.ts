import { EMPTY, contentOf } from "./cell.ts";
import type { Cell, Content, Put } from "./cell.ts";
import { cellOf, type Expiry, type KeyState, type Stamp } from "./key-state.ts";
import type { KeyType } from "./operation.ts";
import { compareTimestamps } from "./timestamp.ts";
import { covers } from "./version-vector.ts";

/** When a key expires: as the sites had agreed on, or at a time, or never. */
export type ExpiresAt = "base" | number | undefined;

/** The type that the key has, if it exists; undefined: that which was agreed on. */
export function typeOf({ latest }: KeyState): KeyType | undefined {
  const [first, ...others] = entries(latest);
  if (first === undefined) return undefined;
  return others.reduce((best, each) => (compareTimestamps(best[1].at, each[1].at) < 0 ? each : best), first)[0];
}

/** What an element holds, of the type that the key has. */
export function elementContent(state: KeyState, type: KeyType, element: string): Content {
  return contentOf(countedCell(state, type, cellOf(state, type, element)));
}

/** The elements of a type of which more is known than what was agreed on. */
export function knownElements({ cells }: KeyState, type: KeyType): readonly string[] {
  return [...(cells[type]?.keys() ?? [])];
}

/** The types of which more is known than what was agreed on. */
export function knownTypes({ cells }: KeyState): readonly KeyType[] {
  return entries(cells).map(([type]) => type);
}

/** Without the writes that are older than a write of another type: that one took the place of the whole key. */
export function countedCell(state: KeyState, type: KeyType, cell: Cell): Cell {
  const others = entries(state.latest).filter(([other]) => other !== type);
  if (others.length === 0) return cell;
  if (typeOf(state) !== type) return EMPTY;
  const isNewer = ({ at }: Stamp): boolean => others.every(([, other]) => compareTimestamps(other.at, at) < 0);
  return { ...cell, base: false, puts: cell.puts.filter(isNewer), sums: cell.sums.filter(isNewer) };
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
 * beside it has none, and neither has a key that was made again after it.
 */
function counts(state: KeyState, { dot, seen }: Expiry): boolean {
  const { puts, sums, base } = countedCell(state, "string", cellOf(state, "string", ""));
  if (typeOf(state) !== "string") return true;
  const isOwn = (put: Put): boolean => put.dot.site === dot.site && put.dot.seq === dot.seq;
  if (!puts.every((put) => isOwn(put) || covers(seen, put.dot))) return false;
  return base || [...puts, ...sums].some((each) => !covers(each.seen, dot));
}

/** What there is for each type. */
export function entries<V>(of: Readonly<Partial<Record<KeyType, V>>>): readonly (readonly [KeyType, V])[] {
  return TYPES.flatMap((type) => {
    const value = of[type];
    return value === undefined ? [] : [[type, value] as const];
  });
}

const TYPES: readonly KeyType[] = ["string", "list", "hash", "set", "zset"];
