import type { Effect } from "./operations/operation.ts";

/** Keys that are remembered at most: those whose time was set last. */
const MOST = 10_000;

/** For how long keys were to live when a client last set their time, also when it has come since. */
export class Lifetimes {
  readonly #ofKeys = new Map<string, number>();

  /** Takes what was done at that time, in milliseconds since 1970. */
  learn(effects: readonly Effect[], now: number): void {
    for (const effect of effects)
      if (effect.kind === "flush") this.#ofKeys.clear();
      else if (effect.kind === "expire") this.#set(effect.key, effect.at === undefined ? 0 : effect.at - now);
  }

  /** In milliseconds; undefined where it is not known, or where a client has taken the time away. */
  of(key: string): number | undefined {
    return this.#ofKeys.get(key);
  }

  #set(key: string, ms: number): void {
    this.#ofKeys.delete(key);
    if (ms <= 0) return;
    this.#ofKeys.set(key, ms);
    const [oldest] = this.#ofKeys.keys();
    if (this.#ofKeys.size > MOST && oldest !== undefined) this.#ofKeys.delete(oldest);
  }
}
