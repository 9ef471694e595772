import type { KeyEffect, KeyType } from "./operation.ts";

/** What of a key is written, or has to be written again: all of it, or some elements, and perhaps its time of expiry. */
export type KeyPart = "all" | SomeOfKey;

export interface SomeOfKey {
  readonly elements: readonly NamedElement[];
  readonly hasExpiry: boolean;
}

export interface NamedElement {
  readonly type: KeyType;
  readonly element: string;
}

/** What the effects change, if the key has the same type after them. */
export function partOf(effects: readonly KeyEffect[]): KeyPart {
  if (effects.some(({ kind }) => kind === "clear")) return "all";
  const elements = effects.filter((effect) => "element" in effect);
  return { elements, hasExpiry: elements.length < effects.length };
}
