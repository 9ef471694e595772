import { capturedEffects } from "./captured-effects.ts";
import type { Captured } from "./captured.ts";
import { expiredEffects } from "./expired-effects.ts";
import type { KnownScores } from "./known-scores.ts";
import type { Effect } from "./operation.ts";

/** True of any key: all keys of the engine are merged together. */
export function holdsAny(): boolean {
  return true;
}

/** What a command did to keys that `holds` has; what it did to all keys is done to these, too. */
export function capturedOf(captured: Captured, holds: (key: string) => boolean): Captured {
  // the stream of a database that is not divided is not gone through once more
  if (holds === holdsAny) return captured;
  const { effects, read, scores } = captured;
  return {
    effects: effectsOn(effects, holds),
    read: read.filter(holds),
    scores: scores.filter(({ key }) => holds(key)),
  };
}

/** As `capturedEffects`, of keys that `holds` has. */
export function capturedWithin(
  command: readonly string[],
  known: KnownScores,
  holds: (key: string) => boolean,
): Captured | undefined {
  const captured = capturedEffects(command, known);
  return captured === undefined ? undefined : capturedOf(captured, holds);
}

/** As `expiredEffects`, of keys that `holds` has. */
export function expiredWithin(command: readonly string[], holds: (key: string) => boolean): readonly Effect[] {
  return effectsOn(expiredEffects(command), holds);
}

/** Those of the effects that are on keys which `holds` has, or on all keys. */
function effectsOn(effects: readonly Effect[], holds: (key: string) => boolean): readonly Effect[] {
  return effects.filter((effect) => effect.kind === "flush" || holds(effect.key));
}
