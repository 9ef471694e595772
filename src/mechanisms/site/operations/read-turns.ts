import type { Effect } from "../../../core/merge/operations/operation.ts";
import type { Unread, WantedRead } from "./capture-parts.ts";

/** When a key is read, and what for. */
export interface ReadTurn extends Readonly<Unread> {
  /** Milliseconds. */
  readonly afterMs: number;
}

/** No client has changed the key; `done` is called when what it holds is captured. */
export function atOnce(begin: WantedRead["begin"], done: () => void): ReadTurn {
  return { wanted: [{ begin, tries: 0, members: undefined, waiting: [done] }], latest: 0, afterMs: 0 };
}

/** A client has changed these members of the key, or any, behind `begin`, and the stream shows that up to `latest`. */
export function changedBefore(begin: WantedRead["begin"], latest: number, members?: Iterable<string>): ReadTurn {
  const changed = members && new Set(members);
  return { wanted: [{ begin, tries: 0, members: changed, waiting: [] }], latest, afterMs: 0 };
}

/** The site was writing the key again, which hides what clients have written. */
export function afterRepair({ wanted, latest }: Readonly<Unread>): ReadTurn {
  const more = wanted.map((each): WantedRead => ({ ...each, tries: each.tries + 1 }));
  return { wanted: more, latest, afterMs: 5 };
}

/** Something comes back that changes the key. */
export function whenBack({ wanted, latest }: Readonly<Unread>): ReadTurn {
  return { wanted, latest, afterMs: 100 };
}

/** What one read is for that was wanted twice: what was tried less often keeps its own tries. */
export function together(some: readonly WantedRead[], more: readonly WantedRead[]): readonly WantedRead[] {
  return more.reduce((all, each) => {
    const same = all.find(({ tries }) => tries === each.tries);
    return same === undefined ? [...all, each] : all.map((one) => (one === same ? joinTwo(one, each) : one));
  }, some);
}

/** The members of a sorted set that these need; undefined: all that the key holds. */
export function membersOf(wanted: readonly WantedRead[]): ReadonlySet<string> | undefined {
  const [first, ...others] = wanted;
  return others.reduce((all, { members }) => bothOf(all, members), first?.members);
}

/** Those effects of a read of members that show what these need. */
export function effectsFor(wanted: readonly WantedRead[], effects: readonly Effect[]): readonly Effect[] {
  const members = membersOf(wanted);
  return effects.filter((effect) => "element" in effect && members?.has(effect.element) === true);
}

/** What is left of these when only those members are. */
export function stillHidden(wanted: readonly WantedRead[], hidden: readonly string[]): readonly WantedRead[] {
  const left = new Set(hidden);
  const still = wanted.map((each): WantedRead => ({ ...each, members: each.members?.intersection(left) }));
  return still.filter(({ members }) => members?.size !== 0);
}

/** All that these are for is captured. */
export function endWaits(wanted: readonly WantedRead[]): void {
  for (const { waiting } of wanted) for (const done of waiting) done();
}

function joinTwo(one: WantedRead, other: WantedRead): WantedRead {
  return {
    begin: other.begin.written < one.begin.written ? other.begin : one.begin,
    tries: one.tries,
    members: bothOf(one.members, other.members),
    waiting: other.waiting.length === 0 ? one.waiting : [...one.waiting, ...other.waiting],
  };
}

function bothOf(some: WantedRead["members"], more: WantedRead["members"]): WantedRead["members"] {
  return some && more && some.union(more);
}
