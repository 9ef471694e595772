import type { Content } from "./cell.ts";
import { keepsBase, type KeyState } from "./key-state.ts";
import { elementContent, entries, expiresAt, knownElements, knownTypes, typeOf, type ExpiresAt } from "./key-view.ts";
import type { KeyEffect, KeyType } from "../operations/operation.ts";
import { BEGINNING, compareTimestamps, type Timestamp } from "../operations/timestamp.ts";

/** What a key held before an operation, as far as the operation can change it. */
export interface KeyView {
  readonly type: KeyType | undefined;
  readonly keepsBase: boolean;
  readonly expires: ExpiresAt;
  /** Each element that it can change; every one that was known when it can change the key as a whole. */
  readonly elements: ReadonlyMap<KeyType, ReadonlyMap<string, Content>>;
}

/** What the key holds before these effects of an operation. */
export function viewBefore(state: KeyState, effects: readonly KeyEffect[], at: Timestamp): KeyView {
  const elements = new Map<KeyType, Map<string, Content>>();
  const look = (type: KeyType, element: string): void => {
    const ofType = elements.get(type) ?? new Map<string, Content>();
    elements.set(type, ofType.set(element, elementContent(state, type, element)));
  };
  if (changesWhole(state, effects, at))
    for (const type of knownTypes(state)) for (const element of knownElements(state, type)) look(type, element);
  for (const effect of effects) if ("element" in effect) look(effect.type, effect.element);
  return { type: typeOf(state), keepsBase: keepsBase(state), expires: expiresAt(state), elements };
}

/** What the key holds, of all elements of which something is known here or there. */
export function viewOfAll(state: KeyState, there: KeyState): KeyView {
  const elements = new Map<KeyType, Map<string, Content>>();
  for (const { cells } of [state, there])
    for (const [type, known] of entries(cells)) {
      const ofType = elements.get(type) ?? new Map<string, Content>();
      for (const element of known.keys()) ofType.set(element, elementContent(state, type, element));
      elements.set(type, ofType);
    }
  return { type: typeOf(state), keepsBase: keepsBase(state), expires: expiresAt(state), elements };
}

/** Whether elements can change that the effects do not name: the key is removed, or a later write of another type comes. */
function changesWhole(state: KeyState, effects: readonly KeyEffect[], at: Timestamp): boolean {
  const written = new Set<KeyType>();
  for (const effect of effects) {
    if (effect.kind === "clear") return true;
    if (effect.kind === "put" || effect.kind === "add") written.add(effect.type);
  }
  const type = typeOf(state);
  const isLatest = (of: KeyType): boolean => compareTimestamps(state.latest[of]?.at ?? BEGINNING, at) < 0;
  return written.size > 1 || (type !== undefined && [...written].some((of) => of !== type && isLatest(of)));
}
