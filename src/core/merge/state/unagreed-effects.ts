import type { KeyState } from "./key-state.ts";
import { entries } from "./key-view.ts";
import type { Effect, KeyEffect, Operation } from "../operations/operation.ts";
import { coversAll, pairsOf, seqOf, type VersionVector } from "../operations/version-vector.ts";

/** Which elements to look at when all sites have applied an operation, so that what is left is not looked at. */
export class UnagreedEffects {
  readonly #origins = new Map<number, Touch[]>();
  #postponed: Postponed[] = [];

  /** What is known of keys already. */
  constructor(keys: readonly { readonly key: string; readonly state: KeyState }[]) {
    for (const { key, state } of keys) this.#restore(key, state);
    for (const touches of this.#origins.values()) touches.sort((a, b) => a.seq - b.seq);
  }

  /** The next operation of its origin. */
  add({ dot, effects }: Operation): void {
    if (effects.length > 0) this.#push(dot.origin, { seq: dot.seq, effects });
  }

  /** For each key the effects that all sites have applied since the last time. */
  take(agreed: VersionVector): ReadonlyMap<string, ReadonlySet<KeyEffect>> {
    const found = new Map<string, Set<KeyEffect>>();
    const find = (effect: Effect): void => {
      if (effect.kind === "flush") return;
      const effects = found.get(effect.key) ?? new Set();
      found.set(effect.key, effects.add(effect));
    };
    // a site that comes has applied nothing yet: then less is agreed on than was
    const { due = [], not = [] } = Object.groupBy(this.#postponed, ({ by }) => (coversAll(agreed, by) ? "due" : "not"));
    for (const { effects } of due) for (const effect of effects) find(effect);
    this.#postponed = not;
    for (const [origin, touches] of this.#origins) {
      const end = touches.findIndex(({ seq }) => seq > seqOf(agreed, origin));
      for (const { effects } of touches.splice(0, end < 0 ? touches.length : end)) effects.forEach(find);
    }
    return found;
  }

  /** Gives these effects, which all sites have applied `by` now, once more the next time: their key was busy. */
  postpone(effects: Iterable<KeyEffect>, by: VersionVector): void {
    this.#postponed.push({ effects, by });
  }

  #restore(key: string, { touched, cells }: KeyState): void {
    const touch = (by: VersionVector, effect: KeyEffect): void => {
      for (const [origin, seq] of pairsOf(by)) this.#push(origin, { seq, effects: [effect] });
    };
    touch(touched, { kind: "clear", key });
    for (const [type, elements] of entries(cells))
      for (const [element, cell] of elements) touch(cell.touched, { kind: "remove", type, key, element });
  }

  #push(origin: number, touch: Touch): void {
    const touches = this.#origins.get(origin);
    if (touches === undefined) this.#origins.set(origin, [touch]);
    else touches.push(touch);
  }
}

interface Postponed {
  readonly effects: Iterable<KeyEffect>;
  readonly by: VersionVector;
}

interface Touch {
  readonly seq: number;
  readonly effects: readonly Effect[];
}
