import { byKey, type Effect, type KeyEffect, type KeyType } from "./operation.ts";

/** The part of a key that is written, or has to be written again: all of it, or some elements, and perhaps its time of expiry. */
export type KeyPart = "all" | SomeOfKey;

export interface SomeOfKey {
  readonly elements: readonly NamedElement[];
  readonly hasExpiry: boolean;
}

export interface NamedElement {
  readonly type: KeyType;
  readonly element: string;
}

/** A part of a key that has to be written again. */
export interface RacedKey {
  readonly key: string;
  readonly part: KeyPart;
}

/** The part of the key that the effects change, if the key has the same type after them. */
export function partOf(effects: readonly KeyEffect[]): KeyPart {
  const elements: NamedElement[] = [];
  for (const effect of effects)
    if (effect.kind === "clear") return "all";
    else if ("element" in effect) elements.push(effect);
  return { elements, hasExpiry: elements.length < effects.length };
}

/** All of each key that the effects name. */
export function allKeys(effects: readonly Effect[]): Map<string, KeyPart> {
  return new Map(byKey(effects).map(([key]) => [key, "all"]));
}
