import type { Finding } from "../api/parts.ts";
import type { Announcement } from "../planner/cluster/announcements.ts";
import { conditionWords, type ConditionWords, type Statement } from "../planner/findings/statement.ts";

/** How an object stands that asks for something which is done once. */
export interface RunStanding {
  /** What it asks for is there. */
  readonly isComplete: boolean;
  /** Nothing more is done about it, and nothing went wrong. */
  readonly isReady: boolean;
  /** It does not come to its end before a person acts. */
  readonly isStalled: boolean;
}

/** `Complete` with the conditions that deploy tools read beside it. */
export function runStatements(
  words: ConditionWords,
  { isComplete, isReady, isStalled }: RunStanding,
  observedGeneration: number,
): readonly Statement[] {
  const say = (type: string, holds: boolean): Statement => {
    return { type, status: holds ? "True" : "False", ...words, observedGeneration };
  };
  return [
    say("Complete", isComplete),
    say("Ready", isReady),
    say("Reconciling", !isReady && !isStalled),
    say("Stalled", isStalled),
  ];
}

/** What an object says that a finding keeps from its end. */
export function hindranceWords(finding: Finding): ConditionWords & Pick<RunStanding, "isStalled"> {
  return { ...conditionWords(finding), isStalled: finding.severity === "block" };
}

/** The event of a backup or restore that begins or ends in this pass. */
export function runEvents(
  what: "Backup" | "Restore",
  before: string | undefined,
  { phase, message, isBegun }: { readonly phase: string; readonly message: string; readonly isBegun: boolean },
): readonly Announcement[] {
  if (isBegun) return [{ type: "Normal", reason: `${what}Started`, message }];
  if (phase === before) return [];
  if (phase === "Completed") return [{ type: "Normal", reason: `${what}Completed`, message }];
  return phase === "Failed" ? [{ type: "Warning", reason: `${what}Failed`, message }] : [];
}
