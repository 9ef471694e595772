import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";

/** The statement in place of a last answer that does not count any more. */
export type LostAnswer = Omit<Statement, "type">;

/** A failover is over by then, in milliseconds: the lease of the lost node has ended and a replica has taken over. */
export const FAILOVER_MS = 20_000;

/**
 * What a status says of a database that the cluster does not have, or about which it has not answered for as long as a failover takes.
 * Undefined while its last answer counts, and of a database that was never made.
 */
export function lostAnswer(
  { databaseUID, unansweredSince }: Pick<DatabaseStatus, "databaseUID" | "unansweredSince">,
  why: string,
  now: Date,
): LostAnswer | undefined {
  if (databaseUID === undefined) return undefined;
  if (unansweredSince === undefined)
    return { status: "False", reason: "NotThere", message: "the cluster does not have the database" };
  if (now.getTime() - Date.parse(unansweredSince) < FAILOVER_MS) return undefined;
  return { status: "Unknown", reason: "Unanswered", message: `not known since ${unansweredSince}: ${why}` };
}
