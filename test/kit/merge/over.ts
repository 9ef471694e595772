import { decodeOperation } from "../../../src/core/merge/operations/operation-codec.ts";
import type { Effect } from "../../../src/core/merge/operations/operation.ts";
import { removalOfOver, type OverKey } from "../../../src/core/merge/over-removals.ts";
import { readKeys, runAll, takesPart, type Entry, type Place } from "./place.ts";
import { whole } from "./reads.ts";

/** Has what is over removed of the keys that the transaction with that mark has written. */
export function findOver({ site, work }: Place, mark: string): void {
  work.push(...site.keys.over.overBy(mark).map((key): Place["work"][number] => ({ kind: "watch", key })));
}

/** The place where the key has been watched came by. */
export function decideOver({ site, work }: Place, key: string, version: number, now: number): void {
  const over = site.keys.over.overOf(key, now);
  if (over === undefined) site.keys.over.endOver(key);
  else work.push(over === "busy" ? { kind: "watch", key } : { kind: "over", over, version });
}

/** The engine notices from now on when the key changes. */
export function watch({ stream, life, engine }: Place, key: string): void {
  stream.push({ kind: "watched", key, life, version: engine.versionOf(key) });
}

/** The engine removes what is over, as for a client, unless something has changed the key since it was watched. */
export function removeOver(place: Place, over: OverKey, version: number): void {
  const { engine, stream, site, work } = place;
  if (engine.versionOf(over.key) !== version) return void work.push({ kind: "watch", key: over.key });
  const commands = runAll(place, removalOfOver(over));
  if (commands.length > 0) stream.push({ kind: "commands", commands });
  site.keys.over.endOver(over.key);
}

/** So often a key is read that is being written again. */
const TRIES = 8;

/** What a read shows. What of it may be hidden, since the site is writing the key again, is read once more later; undefined when that is all. */
export function shownBy(place: Place, entry: Extract<Entry, { readonly kind: "read" }>): readonly Effect[] | undefined {
  const { key, members, tries = 0, effects, latest = 0 } = entry;
  const { site, unread, scores } = place;
  unread.splice(unread.indexOf(key), 1);
  if (tries >= TRIES || !site.keys.repaired.isBeingRepaired(key)) {
    if (members === undefined) scores.learn(key, effects);
    return effects;
  }
  const parts = members && site.keys.repaired.partHidden(members, key, effects);
  if (parts?.hidden.length !== 0) readKeys(place, [{ key, members: parts?.hidden, tries: tries + 1, latest }]);
  return parts?.shown.length === 0 ? undefined : parts?.shown;
}

/** Reads the keys that live on here and have expired elsewhere by that operation, before it is taken in, and notes them; false when there are none. */
export function readKeptAlive(place: Place, bytes: Uint8Array, noted: Set<string>): boolean {
  if (!takesPart(place)) return false;
  const keys = place.site.keys.keptAlive(decodeOperation(bytes));
  readKeys(place, keys.filter((key) => !place.unread.includes(key)).map(whole));
  for (const key of keys) noted.add(key);
  return keys.length > 0;
}
