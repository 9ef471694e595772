import type { Condition } from "../../../core/api/parts.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import { withCondition } from "#kit/kube/conditions";

/** The conditions with each statement in its place, and the time since when it holds. */
export function withStatements(
  before: readonly Condition[] | undefined,
  statements: readonly Statement[],
  now: Date,
): Condition[] {
  return statements.reduce<Condition[]>((list, next) => withCondition(list, next, now), [...(before ?? [])]);
}
