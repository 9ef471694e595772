import type { DatabaseRecord, ShardRecord } from "../../../../core/api/records.ts";
import { primaryOf, shardName } from "../../../../core/planner/database/facts.ts";
import { awaitsData } from "../../../../core/planner/database/recovery.ts";
import { lacksConsent, withAwaited } from "../../../../core/records/recovery-changes.ts";
import type { Members } from "../../members/members.ts";
import { askAgent, type AgentReportContext } from "../../observation/agent-report.ts";
import type { Records } from "../../records/records.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { requireAwaiting } from "./checks.ts";
import { changeRecord } from "./record-changes.ts";

/** What it takes to let a database wait for the data of a backup instead of its own. */
export interface LostDataContext extends AgentReportContext {
  readonly records: Pick<Records, "changeDatabase">;
  readonly members: Pick<Members, "get" | "list">;
}

/**
 * The database whose shards wait for the data of a backup where their own are gone with the volume of their primary. Refused when another copy is away, or
 * cannot be read: that one is newer. Idempotent.
 */
export async function awaitInsteadOfLost(context: LostDataContext, record: DatabaseRecord): Promise<DatabaseRecord> {
  const lacking = record.shards.filter((shard) => lacksConsent(shard) && !awaitsData(shard));
  if (lacking.length === 0) return record;
  requireAwaiting(context);
  for (const shard of lacking) await requireLost(context, record, shard);
  return changeRecord(context.records, record.uid, (stored) => withAwaited(stored, lacking));
}

/** As the node of the primary says it now. */
async function requireLost(context: LostDataContext, record: DatabaseRecord, shard: ShardRecord): Promise<void> {
  const { id: instance, node } = primaryOf(shard);
  const report = await askAgent(context, node, { bdb: record.uid, instance });
  if (report.kind === "reported" && report.instance?.lost === true) return;
  const why = report.kind === "reported" ? "is on its volume" : "may be on its volume: it does not answer";
  throw refuse(refusals.dataIsThere, `the data of ${shardName(record, shard.id)} on node ${node} ${why}`);
}
