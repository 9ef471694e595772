import type { Condition } from "../../../core/api/parts.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import { visibleLine } from "#kit/base/visible";
import { withCondition } from "#kit/kube/conditions";

/** What another site answers may have any length, and an object has a limit. */
const LONGEST_MESSAGE = 8_192;

/**
 * The conditions with each statement in its place, and the time since when it holds. A message may repeat what another site or a server has
 * said: control characters are made visible, as in findings.
 */
export function withStatements(
  before: readonly Condition[] | undefined,
  statements: readonly Statement[],
  now: Date,
): Condition[] {
  return statements.reduce<Condition[]>(
    (list, next) => withCondition(list, visibleStatement(next), now),
    [...(before ?? [])],
  );
}

function visibleStatement(statement: Statement): Statement {
  return { ...statement, message: visibleLine(statement.message).slice(0, LONGEST_MESSAGE) };
}
