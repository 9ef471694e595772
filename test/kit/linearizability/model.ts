import type { Act } from "./history.ts";

/** What a key holds: a register or a list. */
export interface KeyState {
  readonly value: string | null;
  readonly list: readonly string[];
}

export const EMPTY: KeyState = { value: null, list: [] };

/** What the key holds after the act; undefined when the act could not have had its answer. */
export function apply(state: KeyState, act: Act): KeyState | undefined {
  switch (act.kind) {
    case "get":
      return act.value === state.value ? state : undefined;
    case "set":
      return { ...state, value: act.value };
    case "compare-and-set":
      return act.from === state.value ? { ...state, value: act.to } : undefined;
    case "exchange":
      return { ...state, value: act.to };
    case "append": {
      const list = [...state.list, act.value];
      return act.length === undefined || act.length === list.length ? { ...state, list } : undefined;
    }
    case "read-list":
      return isSame(act.values, state.list) ? state : undefined;
  }
}

/** Two states with one text are the same. */
export function textOf({ value, list }: KeyState): string {
  return JSON.stringify([value, list]);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
