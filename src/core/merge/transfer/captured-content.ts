import type { Effect, KeyType, Value } from "../operations/operation.ts";
import type { Content } from "../state/cell.ts";
import { valueOfContent } from "../state/engine-writes.ts";
import { effectsOfHeld, heldKey } from "../state/held-key.ts";
import type { KeyState } from "../state/key-state.ts";
import { elementContent, expiresAt, knownElements, typeOf } from "../state/key-view.ts";

/**
 * What an engine holds of a key as far as its site has captured it: what is known as the state says it, and what was agreed on as it was read, where
 * that counts. What else a client did comes as an operation, or is undone before it was captured, and then no operation says so.
 */
export function capturedContent(key: string, read: readonly Effect[], state: KeyState): readonly Effect[] {
  const held = heldKey(read);
  const type = typeOf(state) ?? held.type;
  if (type === undefined) return read;
  const was = type === held.type ? held.elements : new Map<string, Value>();
  const elements = new Map<string, Value>();
  for (const element of new Set([...was.keys(), ...knownElements(state, type)])) {
    const value = capturedValue(type, elementContent(state, type, element), was.get(element));
    if (value !== undefined) elements.set(element, value);
  }
  const expires = expiresAt(state);
  const until = expires === "base" ? held.until : expires;
  return effectsOfHeld(key, { type: elements.size === 0 ? undefined : type, elements, until });
}

function capturedValue(type: KeyType, content: Content, was: Value | undefined): Value | undefined {
  switch (content.kind) {
    case "absent":
      return undefined;
    case "base":
      return was;
    case "value":
      return valueOfContent(type, content);
  }
}
