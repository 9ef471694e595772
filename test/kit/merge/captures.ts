import { expiredWithin } from "../../../src/core/merge/operations/captured-slice.ts";
import type { Effect } from "../../../src/core/merge/operations/operation.ts";
import type { Dot } from "../../../src/core/merge/operations/version-vector.ts";
import { shownBy } from "./over.ts";
import { readKeys, suspect, type Entry, type Place } from "./place.ts";
import { heldBack, newIn, takeRegained } from "./power.ts";
import { positionOf } from "./processes.ts";
import { capturedAt, wantedBy } from "./reads.ts";

type Commands = readonly (readonly string[])[];

/** The site says what its clients did: that is logged before it is sent. */
export function captureEffects(place: Place, effects: readonly Effect[], now: number): Dot {
  const operation = place.site.captured(effects, now);
  place.work.push({ kind: "log", operations: [operation], position: positionOf(place) });
  return operation.dot;
}

/** What the engine did by itself before it did what the site asked for: that comes after it, also for a process that begins in between. */
export function captureExpired(place: Place, commands: Commands, now: number): void {
  const { holds = () => true } = place;
  const effects = commands.flatMap((command) => expiredWithin(command, holds));
  if (effects.length === 0 || place.captured >= place.at) return;
  place.captured = place.at;
  place.at -= 1;
  captureEffects(place, effects, now);
  place.at += 1;
}

/** What a key holds that had to be read. */
export function captureRead(place: Place, entry: Extract<Entry, { readonly kind: "read" }>, now: number): void {
  const shown = entry.life === place.life ? shownBy(place, entry) : undefined;
  if (shown === undefined) return;
  const found = newIn(place, entry, shown);
  if (found === undefined) readKeys(place, [heldBack(entry)]);
  else captureEffects(place, found, now);
}

/** What clients did at once. */
export function captureCommands(place: Place, commands: Commands, now: number): void {
  const captured = commands.map((command) => capturedAt(place, command));
  readKeys(
    place,
    wantedBy(captured).map((wanted) => ({ ...wanted, latest: place.at })),
  );
  // of a key of another slice it looks at nothing
  const own = commands.filter(([, key = ""]) => place.holds?.(key) !== false);
  suspect(place, place.lost.pass(own, undefined));
  const effects = captured.flatMap((each) => each.effects);
  if (effects.length === 0) return;
  const read = wantedBy(captured).map(({ key }) => key);
  const dot = takeRegained(place, effects, read) ?? captureEffects(place, effects, now);
  place.numbered.set(place.at - 1, dot);
}
