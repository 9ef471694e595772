import { capturedEffects } from "../../../src/core/merge/operations/captured-effects.ts";
import type { HeldKey } from "../../../src/core/merge/state/held-key.ts";
import { MergedState } from "../../../src/core/merge/state/merged-state.ts";
import type { Effect } from "../../../src/core/merge/operations/operation.ts";
import type { KeyAt } from "../../../src/core/merge/state/uncaptured-effects.ts";
import { NOTHING, withDot, seqOf } from "../../../src/core/merge/operations/version-vector.ts";

/** Commands of the key `k`, each by a site that had received all that is named before it there. */
export type Known = readonly string[];

/** A key as a site has it that knows this, and whose engine holds this. */
export function keyAt(known: Known, held: Known): KeyAt {
  const state = new MergedState([], NOTHING);
  let received = NOTHING;
  for (const [at, text] of known.entries()) {
    const [origin = "", ...command] = text.split(" ");
    const dot = { origin: Number(origin), seq: seqOf(received, Number(origin)) + 1 };
    const effects = effectsOf(command);
    state.take({ dot, at: { wall: at + 1, count: 0, site: dot.origin }, seen: received, effects });
    received = withDot(received, dot);
  }
  return { held: heldBy(held), state: state.known("k"), received };
}

/** What an engine holds after commands of the key `k`. */
export function heldBy(commands: Known): HeldKey {
  const effects = commands.flatMap((command) => effectsOf(command.split(" ")));
  const puts = effects.filter((effect) => effect.kind === "put");
  const elements = new Map(puts.map(({ element, value }) => [element, value]));
  return { type: puts[0]?.type, elements, until: effects.find((effect) => effect.kind === "expire")?.at };
}

/** A list as it is read after the command. */
function effectsOf(command: readonly string[]): readonly Effect[] {
  const [name, key = "", ...value] = command;
  if (name === "RPUSH") return [{ kind: "put", type: "list", key, element: "", value }];
  return capturedEffects(command)?.effects ?? [];
}

/** An effect in few words. */
export function shown(effect: Effect): string {
  switch (effect.kind) {
    case "put": {
      const { type, element, value } = effect;
      const text =
        type === "set" ? element : `${type === "string" || type === "list" ? "" : `${element}=`}${String(value)}`;
      return `put ${type} ${text}`;
    }
    case "add":
      return `add ${effect.type} ${effect.element}${String(effect.amount)}`;
    case "remove":
      return `remove ${effect.type} ${effect.element}`;
    case "expire":
      return `expire ${String(effect.at)}`;
    case "clear":
    case "emptied":
    case "flush":
      return effect.kind;
  }
}
