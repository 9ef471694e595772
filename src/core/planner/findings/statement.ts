import type { Condition, Finding } from "../../api/parts.ts";
import { sentenceOf } from "./finding.ts";

/** A condition before it is stamped with the time. */
export type Statement = Omit<Condition, "lastTransitionTime">;

/** The words of a condition. */
export type ConditionWords = Pick<Statement, "reason" | "message">;

/** A finding in the words of a condition, and of an event. */
export function conditionWords(finding: Finding): ConditionWords {
  return { reason: finding.id, message: sentenceOf(finding) };
}
