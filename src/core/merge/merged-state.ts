import { keyWrites, writesBetween, type EngineCommand } from "./engine-writes.ts";
import { unagreedKey } from "./key-agreement.ts";
import { AGREED_KEY, withEffect, type KeyState } from "./key-state.ts";
import type { Operation } from "./operation.ts";
import type { VersionVector } from "./version-vector.ts";

/** What is known of the keys that were written since all sites agreed on them. Equal after the same operations in any causal order. */
export class MergedState {
  readonly #keys = new Map<string, KeyState>();

  /** Takes an operation in. */
  take(operation: Operation): void {
    for (const effect of operation.effects)
      this.#keys.set(effect.key, withEffect(this.key(effect.key), effect, operation));
  }

  /** Takes an operation in; the answer says for each key what brings the engine from the state before to the one after. */
  apply(operation: Operation): ReadonlyMap<string, readonly EngineCommand[]> {
    const before = new Map(operation.effects.map(({ key }) => [key, this.key(key)]));
    this.take(operation);
    return new Map([...before].map(([key, was]) => [key, writesBetween(key, was, this.key(key))]));
  }

  /** What makes the key in the engine what is known of it. */
  repair(key: string): readonly EngineCommand[] {
    return keyWrites(key, this.key(key));
  }

  key(key: string): KeyState {
    return this.#keys.get(key) ?? AGREED_KEY;
  }

  /** Keys of which more is known than what was agreed on. */
  get size(): number {
    return this.#keys.size;
  }

  /** Forgets what every site has applied, but nothing of the keys that are `busy`. */
  forget(agreed: VersionVector, isBusy: (key: string) => boolean): void {
    for (const [key, state] of this.#keys) {
      if (isBusy(key)) continue;
      const rest = unagreedKey(state, agreed);
      if (rest === undefined) this.#keys.delete(key);
      else if (rest !== state) this.#keys.set(key, rest);
    }
  }
}
