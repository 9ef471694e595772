import type { Effect } from "../operations/operation.ts";
import { comparedAt, type ComparedKey } from "./compared-key.ts";
import { valueOfContent } from "./engine-writes.ts";
import { isSameValue } from "./held-key.ts";
import { keepsBase, type KeyState } from "./key-state.ts";
import { elementContent } from "./key-view.ts";
import { uncapturedEffects } from "./uncaptured-effects.ts";

/** True when a read of the key, or of members of it, which has these effects shows nothing but what is known of it. */
export function isAsKnown(known: ComparedKey, effects: readonly Effect[]): boolean {
  const { key, state } = known;
  if (effects[0]?.kind !== "clear") return effects.every((effect) => isKnownIn(state, effect));
  const here = comparedAt({ ...known, effects });
  return here !== undefined && !keepsBase(state) && uncapturedEffects(key, here).length === 0;
}

function isKnownIn(state: KeyState, effect: Effect): boolean {
  if (!("element" in effect)) return false;
  const content = elementContent(state, effect.type, effect.element);
  if (content.kind === "base") return false;
  const value = content.kind === "value" ? valueOfContent(effect.type, content) : undefined;
  return isSameValue(effect.type, effect.kind === "put" ? effect.value : undefined, value);
}
