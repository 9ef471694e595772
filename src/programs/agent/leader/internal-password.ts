import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { internalPassword } from "../credentials/database-passwords.ts";
import type { DatabasePasswords } from "../credentials/database-passwords.ts";
import { withEngineAccess } from "../../../core/records/changes.ts";
import type { Records } from "../records/records.ts";

/** What it takes to give a database of an older release a password of its own for engines. */
export interface InternalPasswordContext {
  readonly records: Pick<Records, "changeDatabase">;
  readonly passwords: Pick<DatabasePasswords, "change">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Gives the engines of a database a password that clients do not know: into the Secret first, then, by the record, to each node. */
export async function makeInternalPassword(
  { records, passwords, clock, log }: InternalPasswordContext,
  { uid }: DatabaseRecord,
): Promise<void> {
  await passwords.change(uid, (held) =>
    held.internal === undefined ? { ...held, internal: internalPassword() } : held,
  );
  const now = clock.now().toISOString();
  // engines that were closed stay closed: their password was removed by hand
  await records.changeDatabase(uid, (old) => withEngineAccess(old, old.passwords?.engines ?? "shared", now));
  log.info("the engines of a database get a password of the cluster", { bdb: uid });
}
