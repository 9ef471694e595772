import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { BdbRecover } from "../../../ports/management/records.ts";
import { changeRecord } from "./record-changes.ts";
import { refusals, refuse } from "./refusals.ts";
import type { WriteContext } from "./write-context.ts";

/** Writes into the record that a user agrees to what is gone; refuses for a database that is not in recovery. Idempotent. */
export function recoverBdb(
  { records }: Pick<WriteContext, "records">,
  { uid }: DatabaseRecord,
  { recover_without_data: isAgreed = false }: BdbRecover,
): Promise<DatabaseRecord> {
  return changeRecord(records, uid, (record) => {
    const { name, status, recovery } = record;
    if (status !== "recovery" || recovery === undefined)
      throw refuse(refusals.notInRecovery, `"${name}" is ${status}; only a database in recovery is recovered`);
    if (recovery.lacks === "" || recovery.consent === true) return record;
    if (!isAgreed) throw refuse(refusals.consentMissing, recovery.lacks);
    return { ...record, recovery: { ...recovery, consent: true } };
  });
}
