import type { Act } from "./history.ts";

/** The register holds something that is not known until it is read. */
export const ANY: unique symbol = Symbol("any");

/** What a key holds: a register or a list. */
export interface KeyState {
  readonly value: string | null | typeof ANY;
  readonly list: readonly string[];
}

export const EMPTY: KeyState = { value: null, list: [] };
export const UNKNOWN: KeyState = { value: ANY, list: [] };

/** What the key holds after the act; undefined when the act could not have had its answer. */
export function apply(state: KeyState, act: Act): KeyState | undefined {
  switch (act.kind) {
    case "get":
      return isValue(state, act.value) ? { ...state, value: act.value } : undefined;
    case "set":
      return { ...state, value: act.value };
    case "compare-and-set":
      return isValue(state, act.from) ? { ...state, value: act.to } : undefined;
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
  return JSON.stringify([value === ANY ? {} : value, list]);
}

function isValue({ value }: KeyState, expected: string | null): boolean {
  return value === expected || value === ANY;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
