import { keepUnagreed } from "./cell.ts";
import { keepsBase, type KeyEnd, type KeyState } from "./key-state.ts";
import { countedCell, entries, typeOf } from "./key-view.ts";
import type { KeyEffect } from "../operations/operation.ts";
import { NOTHING, covers, coversAll, type VersionVector } from "../operations/version-vector.ts";

/**
 * Takes out of the key what all sites have applied, of the elements that these effects are about: the last effects on them that
 * not all had applied. False when nothing else is known of the key.
 */
export function keepUnagreedKey(state: KeyState, effects: Iterable<KeyEffect>, agreed: VersionVector): boolean {
  if (coversAll(agreed, state.touched)) return false;
  state.ends = state.ends && unagreedEnds(state.ends, agreed);
  if (!keepsBase(state)) {
    // until then an element that is not named is empty
    if (canHaveBase(state, agreed)) giveBase(state, agreed);
    return true;
  }
  for (const effect of effects) {
    if (!("element" in effect)) continue;
    const elements = state.cells[effect.type];
    const cell = elements?.get(effect.element);
    if (cell !== undefined && !keepUnagreed(cell, agreed)) elements?.delete(effect.element);
  }
  keepUnagreedExpiry(state, agreed);
  return true;
}

function canHaveBase(state: KeyState, agreed: VersionVector): boolean {
  const type = typeOf(state);
  if (!coversAll(agreed, state.clears)) return false;
  return entries(state.latest).every(([other, { dot }]) => other === type || covers(agreed, dot));
}

/** Lets what was agreed on count again in all elements, with what came since. */
function giveBase(state: KeyState, agreed: VersionVector): void {
  const type = typeOf(state);
  for (const [of, elements] of entries(state.cells)) {
    if (type !== undefined && of !== type) {
      delete state.cells[of];
      continue;
    }
    for (const [element, known] of elements) {
      const cell = countedCell(state, of, known);
      if (keepUnagreed(cell, agreed)) elements.set(element, cell);
      else elements.delete(element);
    }
  }
  const stamp = type === undefined ? undefined : state.latest[type];
  state.clears = NOTHING;
  state.latest = type === undefined || stamp === undefined ? {} : { [type]: stamp };
  keepUnagreedExpiry(state, agreed);
}

function keepUnagreedExpiry(state: KeyState, agreed: VersionVector): void {
  if (!coversAll(agreed, state.timed)) return;
  state.timed = NOTHING;
  state.expiries = [];
  state.baseExpiry = true;
}

/** What all sites know still matters beside an end whose site did not know of it. */
function unagreedEnds(ends: readonly KeyEnd[], agreed: VersionVector): readonly KeyEnd[] {
  const unagreed = ends.filter(({ dot }) => !covers(agreed, dot));
  return ends.filter(({ dot }) => !covers(agreed, dot) || unagreed.some(({ seen }) => !covers(seen, dot)));
}
