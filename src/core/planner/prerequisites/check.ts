import type { Finding } from "../../api/parts.ts";
import type { RequiredFact, CheckInput } from "./check-input.ts";

/**
 * When a check is asked. `spec`: an objection makes SPEC STATUS Invalid. `edit`: it makes the cluster InvalidUpgrade as soon
 * as it is written. `start`: before the cluster moves to another release, and all the way. `step`: before each node is
 * touched. `write`: in each pass, before anything is written; what blocks then makes the cluster InvalidUpgrade only when an
 * upgrade is wanted. `plan`: before an upgrade, by `storectl preflight`, which runs all the others too.
 */
export const MOMENTS = ["spec", "edit", "start", "step", "write", "plan"] as const;
export type Moment = (typeof MOMENTS)[number];

/** One prerequisite (§9): a pure look at gathered facts. */
export interface Check<Id extends string = string> {
  /** Stable; what it finds may carry a narrower name. */
  readonly id: Id;
  /** What holds when it passes, in a few words. */
  readonly asks: string;
  readonly at: readonly Moment[];
  /** Only an upgrade meets what it finds: while none is asked for, that is a warning beside what blocks. */
  readonly ofUpgrades?: true;
  /** Facts without which nothing can be said: they are read, or the check says that it does not know. */
  readonly needs: readonly RequiredFact[];
  /** What stands against it; undefined when nothing does. */
  readonly find: (input: CheckInput) => Finding | undefined;
}

/** A check that declares its id: the names of all findings follow from the list of checks. */
export function defineCheck<const Id extends string>(check: Check<Id>): Check<Id> {
  return check;
}

/** Names for a sentence: `"a", "b"`. */
export function quotedNames(things: readonly { readonly name: string }[]): string {
  return things.map(({ name }) => `"${name}"`).join(", ");
}
