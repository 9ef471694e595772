import { BRIEF, TIMED } from "./applications.ts";
import { valueAt, type Data, type Place, type Session, type SiteWrite, type Written } from "./writes.ts";

/** Where the increments of a name add up. */
export const SUMS = { string: (name: string) => `sum:${name}`, hash: "sums", zset: "scores", log: "log" } as const;

/**
 * Sentences on what the data cannot be after these sessions, one for each site; empty when every rule is kept. Where engines have evicted, keys with a
 * time of expiry may be gone.
 */
export function brokenRules(sessions: readonly Session[], data: Data, haveEvicted: boolean): readonly string[] {
  const mayBeGone = ({ type, key }: Place): boolean => haveEvicted && (type === "expiry" || key.startsWith("session:"));
  return [
    ...brokenSums(sessions, data),
    ...sessions.flatMap((session) => [...brokenOwn(session, data, mayBeGone), ...brokenLists(session, data)]),
    ...brokenRegisters(sessions, data, mayBeGone),
    ...brokenMembers(sessions, data),
    ...brokenTimes(data),
  ];
}

type MayBeGone = (place: Place) => boolean;
type Of<K extends Written["kind"]> = SiteWrite & { readonly written: Extract<Written, { kind: K }> };

/** An increment is there with its member of the log: no acknowledged one is missing, and none counts twice. */
function brokenSums(sessions: readonly Session[], data: Data): readonly string[] {
  const all = sessions.flatMap((session) => ofKind(session, "sum"));
  const log = elementsOf(data, SUMS.log);
  const missing = all.filter((write) => isAcknowledged(write) && !log.has(write.written.member));
  const names = new Set(all.map(({ written }) => written.name));
  const wrong = [...names].flatMap((name) => {
    const counted = all.filter(({ written }) => written.name === name && log.has(written.member));
    const sum = String(counted.reduce((total, { written }) => total + written.by, 0));
    const places: readonly Place[] = [
      { type: "string", key: SUMS.string(name), element: "" },
      { type: "hash", key: SUMS.hash, element: name },
      { type: "zset", key: SUMS.zset, element: name },
    ];
    return places.flatMap((place) => {
      const found = valueAt(data, place) ?? "0";
      return found === sum ? [] : `${textOf(place)} is ${found}, and its increments make ${sum}`;
    });
  });
  return [...missing.map(({ written }) => `the acknowledged increment ${written.member} is lost`), ...wrong];
}

/** What one site alone writes is what its last write says. */
function brokenOwn(session: Session, data: Data, mayBeGone: MayBeGone): readonly string[] {
  const byPlace = Map.groupBy(ofKind(session, "own"), ({ written }) => textOf(written.place));
  return [...byPlace].flatMap(([text, writes]) => {
    let possible: readonly (string | undefined)[] = [undefined];
    const back: string[] = [];
    for (const { outcome, written } of writes) {
      possible = outcome === "acknowledged" ? [written.value] : [...possible, written.value];
      if (outcome === "lost" && written.value !== undefined) back.push(written.value);
      // a removal has not seen what comes back, which a later value hides as long as it is there
      if (written.value === undefined) possible = [...possible, ...back];
    }
    const [first] = writes;
    const found = first && valueAt(data, first.written.place);
    const isGone = found === undefined && first !== undefined && mayBeGone(first.written.place);
    return isGone || possible.includes(found)
      ? []
      : `${text} is ${String(found)}, and its site has written ${possible.map(String).join(" or ")}`;
  });
}

/** A list of one site has what was pushed, once and in its order; what was not acknowledged may be missing. */
function brokenLists(session: Session, data: Data): readonly string[] {
  const byKey = Map.groupBy(ofKind(session, "pushed"), ({ written }) => written.key);
  return [...byKey].flatMap(([key, writes]) => {
    const held = data.keys.get(key);
    const found: readonly string[] = Array.isArray(held) ? (held as readonly string[]) : [];
    const there = new Set(found);
    const wanted = writes.filter((write) => isAcknowledged(write) || there.has(write.written.value));
    const same = wanted.map(({ written }) => written.value);
    return same.join() === found.join() ? [] : `${key} is ${shortOf(found)}, and its site has pushed ${shortOf(same)}`;
  });
}

/** The value that is left was written, and no acknowledged write of a site that had seen it has taken its place. */
function brokenRegisters(sessions: readonly Session[], data: Data, mayBeGone: MayBeGone): readonly string[] {
  const all = sessions.flatMap((session, site) =>
    ofKind(session, "register").map((write, order) => ({ write, site, order })),
  );
  const byPlace = Map.groupBy(all, ({ write }) => textOf(write.written.place));
  return [...byPlace].flatMap(([text, writes]) => {
    const [first] = writes;
    const found = first && valueAt(data, first.write.written.place);
    const known = writes.filter(({ write }) => isAcknowledged(write));
    if (found === undefined && first !== undefined && mayBeGone(first.write.written.place)) return [];
    if (found === undefined)
      return known.length === 0 ? [] : `${text} holds nothing, and ${known.length} writes of it were acknowledged`;
    const last = writes.find(({ write }) => write.written.value === found);
    if (last === undefined) return `${text} is ${found}, which was never written`;
    const after = known.find(
      ({ write, site, order }) => write.written.replaced === found || (site === last.site && order > last.order),
    );
    return after === undefined
      ? []
      : `${text} is ${found}, and site ${after.site + 1} had written ${after.write.written.value} after it`;
  });
}

/**
 * A member stays that was added when no removal of it was under way or to come, and one is gone that every site which has added
 * it has removed later. Between these both are right.
 */
function brokenMembers(sessions: readonly Session[], data: Data): readonly string[] {
  const perSite = sessions.map(membersOf);
  const held = new Map([...data.keys.keys()].map((key) => [key, elementsOf(data, key)]));
  const names = new Set(perSite.flatMap(({ added }) => [...added.keys()]));
  return [...names].flatMap((name) => {
    const [key = "", element = ""] = JSON.parse(name) as readonly string[];
    const isThere = held.get(key)?.has(element) === true;
    const written = perSite.map(({ added, removed, deleted }) => ({
      adds: added.get(name) ?? [],
      removals: [...(removed.get(name) ?? []), ...(deleted.get(key) ?? [])],
    }));
    const removals = written.flatMap((of) => of.removals);
    const adds = written.flatMap((of) => of.adds);
    const stays = adds.some((add) => isAcknowledged(add) && removals.every(({ ended }) => ended < add.began));
    const isGone = written.every((of) =>
      of.adds.every(
        (add) =>
          add.outcome !== "lost" &&
          of.removals.some((removal) => isAcknowledged(removal) && removal.number > add.number),
      ),
    );
    if (stays && !isThere) return `${key} lacks ${element}, which was added after every removal`;
    return isGone && isThere ? `${key} has ${element}, which each site that had added it has removed` : [];
  });
}

/** Keys of applications have the time that they should have, and those whose time has come are gone. */
function brokenTimes({ keys, expiries }: Data): readonly string[] {
  const isOne = (key: string, names: readonly string[]): boolean => names.some((name) => key.startsWith(name));
  return [...keys.keys()].flatMap((key) => {
    if (isOne(key, TIMED) && !expiries.has(key)) return `${key} has no time of expiry`;
    return isOne(key, BRIEF) ? `${key} is still there, until ${expiries.get(key) ?? "ever"}` : [];
  });
}

/** What the client of a site did to each member, and to keys with all their members. */
function membersOf(session: Session) {
  const nameOf = ({ written: { key, element } }: Of<"added" | "removed">): string => JSON.stringify([key, element]);
  return {
    added: Map.groupBy(ofKind(session, "added"), nameOf),
    removed: Map.groupBy(ofKind(session, "removed"), nameOf),
    deleted: Map.groupBy(ofKind(session, "deleted"), ({ written }) => written.key),
  };
}

function isAcknowledged({ outcome }: SiteWrite): boolean {
  return outcome === "acknowledged";
}

function ofKind<K extends Written["kind"]>(session: Session, kind: K): readonly Of<K>[] {
  return session.filter((write): write is Of<K> => write.written.kind === kind);
}

function elementsOf(data: Data, key: string): ReadonlySet<string> {
  const held = data.keys.get(key);
  if (held instanceof Map) return new Set(held.keys() as Iterable<string>);
  return new Set(Array.isArray(held) ? (held as readonly string[]) : []);
}

function textOf({ type, key, element }: Place): string {
  return `${type} ${key} ${element}`.trim();
}

function shortOf(values: readonly string[]): string {
  return `${values.length} elements, at the end ${values.slice(-10).join(",")}`;
}
