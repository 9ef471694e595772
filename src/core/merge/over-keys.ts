import { Lifetimes } from "./lifetimes.ts";
import { byKey } from "./operations/operation.ts";
import { isCountedUnseen, overElements } from "./over-elements.ts";
import type { OverKey } from "./over-removals.ts";
import type { PendingApplies } from "./saved/pending-applies.ts";
import type { MergedState } from "./state/merged-state.ts";

/** Keys of which something is over, each until it is removed. */
export class OverKeys {
  readonly #site: number;
  readonly #state: MergedState;
  readonly #pending: PendingApplies;
  readonly #over = new Set<string>();
  /** For how long keys were to live. */
  readonly lifetimes = new Lifetimes();

  /** `site`: the own one. */
  constructor(site: number, state: MergedState, pending: PendingApplies) {
    this.#site = site;
    this.#state = state;
    this.#pending = pending;
  }

  /**
   * Keys of which something is over, of those that the transactions with these marks write; `marks`: with a space between. What is known of them is
   * not forgotten before `endOver`.
   */
  overBy(marks: string): readonly string[] {
    const operations = marks.split(" ").flatMap((mark) => this.#pending.operationOf(mark) ?? []);
    const keys = new Set(operations.flatMap(({ effects }) => byKey(effects).map(([key]) => key)));
    const over = [...keys].filter((key) => !this.#over.has(key) && this.#overKey(key, 0) !== undefined);
    for (const key of over) this.#over.add(key);
    return over;
  }

  /**
   * What is over of a key at a mark, if the engine holds there what is known of the key: else, while something on it is under way, `busy`; undefined when
   * nothing is over. `now`: in milliseconds since 1970.
   */
  overOf(key: string, now: number): OverKey | "busy" | undefined {
    return this.#pending.has(key) ? "busy" : this.#overKey(key, now);
  }

  /** Something of the key is over, and not removed yet. */
  isOver(key: string): boolean {
    return this.#over.has(key);
  }

  /** Nothing of the key is over any more, or it stays. */
  endOver(key: string): void {
    this.#over.delete(key);
  }

  #overKey(key: string, now: number): OverKey | undefined {
    const state = this.#state.stateOf(key);
    if (state === undefined) return undefined;
    const lifetime = this.lifetimes.of(key);
    const until = lifetime === undefined ? undefined : now + lifetime;
    const elements = overElements(state, this.#site);
    return elements.length > 0 || (until !== undefined && isCountedUnseen(state))
      ? { key, elements, until }
      : undefined;
  }
}
