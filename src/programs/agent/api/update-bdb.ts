import type { DatabaseRecord } from "../../../core/api/records.ts";
import { changesOfWire } from "../../../core/api/settings/values.ts";
import type { BdbCreate } from "../../../ports/management/records.ts";
import { requireFreeName, requireLicense, requireShards } from "./checks.ts";
import { changeRecord, requireIdle, runningAction } from "./record-changes.ts";
import { refusals, refuse } from "./refusals.ts";
import type { WriteContext } from "./write-context.ts";

/** Changes name, settings or password of a database; refuses a change of what is fixed, or while another change runs. */
export async function updateBdb(
  context: WriteContext,
  seen: DatabaseRecord,
  body: Partial<BdbCreate>,
): Promise<DatabaseRecord> {
  const { passwords } = context;
  requireLicense(context);
  requireChangeable(seen, body);
  if (body.name !== undefined) requireFreeName(context, body.name, seen.uid);
  if (body.replication === true && !seen.replication) requireShards(context, 1);
  const current = await passwords.of(seen);
  const password = body.authentication_redis_pass ?? current;
  if (password === current) return changeSettings(context, seen, body, false);
  requireIdle(seen);
  await passwords.set(seen.uid, password);
  try {
    return await changeSettings(context, seen, body, true);
  } catch (error) {
    // no node reads it before the record changes: a second request must still be a change
    await passwords.set(seen.uid, current);
    throw error;
  }
}

/** With `isNewPassword` the record changes even when no setting does, so that each node reads the password again. */
function changeSettings(
  { records, clock }: Pick<WriteContext, "records" | "clock">,
  { uid }: DatabaseRecord,
  body: Partial<BdbCreate>,
  isNewPassword: boolean,
): Promise<DatabaseRecord> {
  const now = clock.now().toISOString();
  return changeRecord(records, uid, (record) => {
    requireIdle(record);
    const next: DatabaseRecord = { ...record, name: body.name ?? record.name, ...changesOfWire(body) };
    if (!isNewPassword && JSON.stringify(next) === JSON.stringify(record)) return record;
    return {
      ...next,
      status: "active-change-pending",
      lastChangedTime: now,
      lastAction: runningAction("update_bdb"),
    };
  });
}

function requireChangeable(record: DatabaseRecord, body: Partial<BdbCreate>): void {
  if (body.port !== undefined && body.port !== record.port) {
    throw refuse(refusals.unchangeable, `the port of "${record.name}" is ${record.port} and cannot be changed`);
  }
  if (body.redis_version !== undefined && body.redis_version !== record.storeVersion) {
    throw refuse(
      refusals.unchangeable,
      `"${record.name}" is at ${record.storeVersion}; ask for another version with POST /v1/bdbs/${record.uid}/upgrade`,
    );
  }
}
