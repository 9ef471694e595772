import type { Effect } from "../operations/operation.ts";
import type { KeyState } from "./key-state.ts";

/** What a read of some members of a sorted set has found while the set has to be written again. */
export interface PartlyHidden {
  /** What clients did, to be captured at once: when all of the set is written again, that removes it. */
  readonly shown: readonly Effect[];
  /** Members of which the engine may hold what was there before. */
  readonly hidden: readonly string[];
}

/**
 * Parts what was found of these members while the set has to be written again as this state says. Nothing that is not captured by then is left of
 * it, and no transaction has written members that the state does not name: they are there by what clients did.
 */
export function partHidden(members: readonly string[], { cells }: KeyState, effects: readonly Effect[]): PartlyHidden {
  const shown = effects.flatMap((effect) =>
    effect.kind === "put" && cells[effect.type]?.has(effect.element) !== true ? effect : [],
  );
  const named = new Set(shown.map(({ element }) => element));
  return { shown, hidden: members.filter((member) => !named.has(member)) };
}
