import type { ExpiresAt } from "./key-view.ts";
import type { Effect } from "../operations/operation.ts";

/**
 * What clients did, with the time that a string keeps when only its value is written (`SET key value KEEPTTL`; engines write INCRBYFLOAT in that way): a time
 * of expiry counts for the value that it was set for, so each value comes with its own. What all sites had agreed on stays without being named. `timeOf`: when
 * a key expired before.
 */
export function withKeptTimes(effects: readonly Effect[], timeOf: (key: string) => ExpiresAt): readonly Effect[] {
  if (!effects.some(isValue)) return effects;
  const timed = new Set<string>();
  let isFlushed = false;
  return effects.flatMap((effect): readonly Effect[] => {
    if (effect.kind === "flush") isFlushed = true;
    else if (isValue(effect) && !isFlushed && !timed.has(effect.key)) {
      const { key } = effect;
      timed.add(key);
      const at = timeOf(key);
      return typeof at === "number" ? [effect, { kind: "expire", key, at }] : [effect];
    } else if (endsTime(effect)) timed.add(effect.key);
    return [effect];
  });
}

/** The same effects without the times that `withKeptTimes` may have named: whether it did depends on what sites had agreed on. */
export function withoutKeptTimes(effects: readonly Effect[]): readonly Effect[] {
  const cleared = new Set(effects.flatMap((effect) => (effect.kind === "clear" ? effect.key : [])));
  const kept = new Set(effects.flatMap((effect) => (isValue(effect) && !cleared.has(effect.key) ? effect.key : [])));
  return kept.size === 0 ? effects : effects.filter((effect) => effect.kind !== "expire" || !kept.has(effect.key));
}

function isValue(effect: Effect): effect is Extract<Effect, { kind: "put" }> {
  return effect.kind === "put" && effect.type === "string";
}

function endsTime({ kind }: Exclude<Effect, { kind: "flush" }>): boolean {
  return kind === "clear" || kind === "expire" || kind === "emptied";
}
