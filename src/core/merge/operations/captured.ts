import type { Effect, KeyType } from "./operation.ts";
import type { ScoreChange } from "./score-rules.ts";

/** What a command of an engine's stream did, as far as the command says it. */
export interface Captured {
  readonly effects: readonly Effect[];
  /** Keys whose whole value must be read: the command says how to make it, and not what it is. */
  readonly read: readonly string[];
  /** Members of sorted sets whose scores must be read, and nothing else of their key. */
  readonly scores: readonly NamedMembers[];
}

/** Some members of a sorted set. */
export interface NamedMembers {
  readonly key: string;
  readonly members: readonly string[];
}

/** What a command with these arguments did; `changes`: what it did to a sorted set, where that is known. */
export type Rule = (args: readonly string[], changes?: readonly ScoreChange[]) => Captured;

/** These effects, and nothing to be read. */
export const effects = (list: readonly Effect[]): Captured => ({ effects: list, read: [], scores: [] });
/** Keys to be read. */
export const readKeys = (...keys: readonly (string | undefined)[]): Captured => ({
  effects: [],
  read: keys.filter((key) => key !== undefined),
  scores: [],
});

/** A value. */
export const putEffect = (type: KeyType, key: string, element: string, value: string): Effect => ({
  kind: "put",
  type,
  key,
  element,
  value,
});
/** An increment. */
export const add = (type: KeyType, key: string, element: string, amount: bigint): Effect => ({
  kind: "add",
  type,
  key,
  element,
  amount,
});

/** Two arguments and two, and so on. */
export function pairs(args: readonly string[]): readonly (readonly [string, string])[] {
  return Array.from({ length: Math.floor(args.length / 2) }, (_, index) => [
    args[2 * index] ?? "",
    args[2 * index + 1] ?? "",
  ]);
}
