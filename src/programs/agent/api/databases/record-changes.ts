import { randomUUID } from "node:crypto";
import type { DatabaseAction, DatabaseRecord } from "../../../../core/api/records.ts";
import type { Records } from "../../records/records.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** Compare-and-swap on the record of a database; AGENT_NO_SUCH_DATABASE when it is gone. */
export async function changeRecord(
  records: Pick<Records, "changeDatabase">,
  uid: number,
  change: (record: DatabaseRecord) => DatabaseRecord,
): Promise<DatabaseRecord> {
  const record = await records.changeDatabase(uid, change);
  if (record === undefined) throw refuse(refusals.noSuchDatabase, `database ${uid} was deleted meanwhile`);
  return record;
}

/** An action that begins now. */
export function runningAction(name: string, uid: string = randomUUID()): DatabaseAction {
  return { uid, name, status: "running", progress: 0 };
}

/** AGENT_BUSY while a database changes: it takes one change at a time. One that cannot be made may be changed so that it can. */
export function requireIdle({ name, status, lastAction }: DatabaseRecord): void {
  if (status === "active" || status === "creation-failed") return;
  const running = lastAction?.status === "running" ? ` (${lastAction.name} runs)` : "";
  throw refuse(refusals.busy, `"${name}" is ${status}${running}; changes are accepted while it is active`);
}
