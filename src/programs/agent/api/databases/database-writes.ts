import type { DatabaseRecord } from "../../../../core/api/records.ts";
import type { PasswordChange } from "../../../../core/planner/database/passwords.ts";
import type {
  ActionRecord,
  BdbChange,
  BdbCreate,
  BdbRecover,
  BdbUpgrade,
} from "../../../../ports/management/records.ts";
import type { ReplyOf } from "../../../../ports/management/routes.ts";
import { actionRecord } from "../cluster/actions.ts";
import { changePasswords } from "./change-passwords.ts";
import { createBdb, databaseCounter } from "./create-bdb.ts";
import { whenSecretIsThere } from "./when-secret-is-there.ts";
import { changeRecord, runningAction } from "./record-changes.ts";
import type { InTurn } from "#kit/base/in-turn";
import { recoverBdb } from "./recover-bdb.ts";
import { keptRecord, putRecordBack } from "./restore-record.ts";
import { updateBdb } from "./update-bdb.ts";
import { upgradeBdb } from "./upgrade-bdb.ts";
import type { WriteContext } from "./write-context.ts";

/** Changes of databases by the API: each checks a request and writes the desired state, which the leader reconciles. */
export interface DatabaseWrites {
  create(body: BdbCreate): Promise<DatabaseRecord>;
  update(record: DatabaseRecord, body: BdbChange): Promise<DatabaseRecord>;
  remove(record: DatabaseRecord): Promise<ActionRecord>;
  upgrade(record: DatabaseRecord, body: BdbUpgrade): Promise<DatabaseRecord>;
  passwords(record: DatabaseRecord, change: PasswordChange): Promise<DatabaseRecord>;
  recover(record: DatabaseRecord, body: BdbRecover): Promise<DatabaseRecord>;
  /** Puts a record back that has vanished. */
  restore(uid: string): Promise<DatabaseRecord>;
  /** What this node could give for that. */
  keptRecord(uid: string): ReplyOf<"localRecord">;
}

/** The changes of databases, with those that check for what others may take (names, ports, room, the licence, modules) one after the other. */
export function databaseWrites(context: WriteContext, inTurn: InTurn): DatabaseWrites {
  return {
    // outside its turn: other changes do not wait for the operator
    create: (body) =>
      whenSecretIsThere(
        context.clock,
        () => context.passwords.free.isReady(databaseCounter(context)),
        () => inTurn(() => createBdb(context, body)),
      ),
    update: (record, body) => inTurn(() => updateBdb(context, record, body)),
    remove: (record) => deleteBdb(context, record),
    passwords: (record, change) => inTurn(() => changePasswords(context, record, change)),
    upgrade: (record, body) => inTurn(() => upgradeBdb(context, record, body)),
    recover: (record, body) => recoverBdb(context, record, body),
    keptRecord: (uid) => keptRecord(context, Number(uid)),
    restore: (uid) => inTurn(() => putRecordBack(context, Number(uid))),
  };
}

async function deleteBdb(
  { records, clock }: Pick<WriteContext, "records" | "clock">,
  { uid }: DatabaseRecord,
): Promise<ActionRecord> {
  const now = clock.now().toISOString();
  const record = await changeRecord(records, uid, (old) =>
    old.status === "delete-pending"
      ? old
      : { ...old, status: "delete-pending", lastChangedTime: now, lastAction: runningAction("delete_bdb") },
  );
  const action = record.lastAction ?? runningAction("delete_bdb", `bdb-${uid}`);
  return actionRecord({ ...action, object: `bdb:${uid}` });
}
