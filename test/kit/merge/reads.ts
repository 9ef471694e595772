import { capturedEffects } from "../../../src/core/merge/operations/captured-effects.ts";
import { capturedOf } from "../../../src/core/merge/operations/captured-slice.ts";
import type { Captured } from "../../../src/core/merge/operations/captured.ts";
import type { Entry, Place, Wanted, Work } from "./place.ts";

/** What comes into the stream where the engine is asked for a key. */
export function entryOf(
  { engine, life }: Place,
  asked: Extract<Work, { readonly kind: "read" | "look" | "members" }>,
): Entry {
  const { key } = asked;
  switch (asked.kind) {
    case "read": {
      const { members } = asked;
      return { ...asked, life, effects: members ? engine.effectsOfScores(key, members) : engine.effectsOf(key) };
    }
    case "look":
      return { kind: "looked", key, life, ...engine.look(key) };
    case "members":
      return { kind: "members", key, life, effects: engine.effectsOf(key) };
  }
}

/** What a command of the stream did, with what is known of the members of sorted sets before it. */
export function capturedAt({ scores, holds }: Place, command: readonly string[]): Captured {
  const captured = capturedEffects(command, scores);
  if (captured === undefined) throw new Error(`no rule for ${command.join(" ")}`);
  return holds === undefined ? captured : capturedOf(captured, holds);
}

/** What these commands have to read. */
export function wantedBy(captured: readonly Captured[]): readonly Wanted[] {
  return captured.flatMap(({ read, scores }) => [...read.map(whole), ...scores]);
}

/** All that a key holds. */
export function whole(key: string): Wanted {
  return { key, members: undefined };
}
