import { decodeOperation } from "../../../src/core/merge/operations/operation-codec.ts";
import { isOutnumbered, originAfter } from "../../../src/core/merge/operations/origin.ts";
import type { Effect } from "../../../src/core/merge/operations/operation.ts";
import { NOTHING, withDot, type Dot } from "../../../src/core/merge/operations/version-vector.ts";
import { RegainedOperations, operationsOf } from "../../../src/core/merge/saved/regained-operations.ts";
import { isAsKnown } from "../../../src/core/merge/state/as-known.ts";
import { positionOf, restart, restored, savedPosition } from "./processes.ts";
import { applyLater, type Entry, type Place, type Position, type Wanted } from "./place.ts";

/** What the engine holds now lasts. */
export function syncDisk(place: Place): void {
  const { engine, stream, stored } = place;
  const kept = { saved: stored.saved, log: [...stored.log] };
  const { received } = restored(place);
  place.disk = { engine: engine.copy(), length: stream.length, stored: kept, received };
}

/** The engine has only what its disk has, and so has the site, until it begins again: see `beginAsked`. */
export function losePower(place: Place): void {
  const { disk } = place;
  if (disk === undefined) throw new Error("nothing is on its disk");
  place.engine = disk.engine.copy();
  place.stream.length = disk.length;
  place.begun = disk.length;
  place.run += 1;
  place.stored = { saved: disk.stored.saved, log: [...disk.stored.log] };
  place.origin = savedPosition(place)?.origin ?? place.id;
  place.isBeginning = true;
  place.regained = undefined;
  place.site = restored(place);
}

/** What a site that begins has been answered. */
export interface Answers {
  readonly from: readonly Place[];
  /** Each other site has answered. */
  readonly areAll: boolean;
}

/** Another process of the site begins, which has asked the others what they have of it; see `restart`. `regains`: it reads what its disk has kept. */
export function beginAsked(
  place: Place,
  { from: others, areAll: isComplete }: Answers,
  regains: boolean,
): Pick<Position, "unread" | "suspects"> {
  place.origin = savedPosition(place)?.origin ?? place.id;
  const operations = others
    .flatMap(({ site }) => operationsOf(place.id, site.save()))
    .map(({ bytes }) => decodeOperation(bytes));
  const numbered = others.map(({ site }) => site.participants.numbered(site.received));
  const received = [...numbered, ...operations.map(({ dot }) => withDot(NOTHING, dot))];
  const last = { origin: place.origin, seq: restored(place).seq };
  if (!isComplete || isOutnumbered(last, received))
    place.origin = originAfter(last, { received, isComplete }, CLOCK_BEGINS_MS + place.run * RUN_MS);
  const left = restart(place);
  place.regained = regains ? new RegainedOperations(place.id, operations, place.site.received) : undefined;
  return left;
}

/** While the site reads what its disk has kept: takes what others have of it; undefined when they do not have it. */
export function takeRegained(place: Place, effects: readonly Effect[], read: readonly string[]): Dot | undefined {
  const { regained, site, begun, at, work } = place;
  const known = at <= begun ? regained?.upTo(effects, read) : undefined;
  if (known === undefined) return undefined;
  for (const operation of known) site.regained(operation);
  work.push({ kind: "log", operations: known, position: positionOf(place) });
  return known.at(-1)?.dot;
}

/** What the disk has lost comes back. */
export function takeRest(place: Place): void {
  for (const operation of place.regained?.lost ?? []) applyLater(place, place.site.receive(operation, place.id) ?? []);
}

/** What of a read is new; undefined when it has to be read again. */
export function newIn(
  { regained, site, begun }: Place,
  { key, held = 0, latest = 0 }: Read,
  shown: readonly Effect[],
): readonly Effect[] | undefined {
  if (regained === undefined) return shown;
  if (latest > begun) {
    regained.takeKey(key);
    return shown;
  }
  const isLate = held >= HELD_MOST;
  if (!isLate && regained.isAwaited(key, site.seen)) return undefined;
  const known = regained.hasKey(key) ? site.keys.compared(key, []) : undefined;
  if (!isLate && regained.hasKey(key) && known === undefined) return undefined;
  regained.takeKey(key);
  return known !== undefined && isAsKnown(known, shown) ? [] : shown;
}

/** It is read once more. */
export function heldBack({ key, members, held = 0, latest }: Read): Wanted {
  return { key, members, held: held + 1, ...(latest === undefined ? {} : { latest }) };
}

type Read = Extract<Entry, { readonly kind: "read" }>;

/** By the clock of a site, the incarnations of one process of its engine are a thousand behind those of the one before. */
const [CLOCK_BEGINS_MS, RUN_MS] = [Date.UTC(2025, 0, 1), 20_000_000];

/** So often: then it is taken as it is. */
const HELD_MOST = 20;
