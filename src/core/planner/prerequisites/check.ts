import type { Finding } from "../../api/parts.ts";
import type { Need, CheckInput } from "./check-input.ts";

/**
 * When a check is asked. `spec`: an objection makes SPEC STATUS Invalid. `edit`: it makes the cluster InvalidUpgrade as soon
 * as it is written. `start`: before the cluster moves to another release, and all the way. `step`: before each node is
 * touched. `write`: in each pass, before anything is written; what blocks then makes the cluster InvalidUpgrade only when an
 * upgrade is wanted. `plan`: by whoever looks ahead, such as `storectl preflight`; that one asks all the others too.
 */
export const MOMENTS = ["spec", "edit", "start", "step", "write", "plan"] as const;
export type Moment = (typeof MOMENTS)[number];

/** One prerequisite (§9): a pure look at gathered facts. */
export interface Check {
  /** Stable; what it finds may carry a narrower name. */
  readonly id: string;
  /** What holds when it passes, in a few words. */
  readonly asks: string;
  readonly at: readonly Moment[];
  /** Facts without which nothing can be said: they are read, or the check says that it does not know. */
  readonly needs: readonly Need[];
  /** What stands against it; undefined when nothing does. */
  readonly find: (input: CheckInput) => Finding | undefined;
}

/** An objection that stops the upgrade until somebody acts. */
export function block(id: string, evidence: string, remedy: string): Finding {
  return { id, severity: "block", evidence, remedy };
}

/** An objection that holds the next step up and goes away by itself or by a small act. */
export function wait(id: string, evidence: string, remedy: string): Finding {
  return { id, severity: "wait", evidence, remedy };
}

/** Something that happens to users' data or clients and needs their word. */
export function consent(id: string, evidence: string, remedy: string): Finding {
  return { id, severity: "consent", evidence, remedy };
}

/** Something to mind that stops nothing. */
export function warn(id: string, evidence: string, remedy: string): Finding {
  return { id, severity: "warn", evidence, remedy };
}

/** Something that could not be looked at. */
export function unknown(id: string, evidence: string): Finding {
  const remedy = "let the caller read it (kubectl auth can-i --list), or look yourself; then ask again";
  return { id, severity: "unknown", evidence, remedy };
}

/** Names for a sentence: `"a", "b"`. */
export function named(things: readonly { readonly name: string }[]): string {
  return things.map(({ name }) => `"${name}"`).join(", ");
}
