import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { nextOverlapEnd, withoutEnded } from "../../../core/planner/database/passwords.ts";
import type { DatabasePasswords } from "../credentials/database-passwords.ts";
import { withPasswords } from "../../../core/records/changes.ts";
import type { Records } from "../records/records.ts";

/** What the end of an overlap of passwords works on. */
export interface OverlapContext {
  readonly records: Pick<Records, "changeDatabase">;
  readonly passwords: Pick<DatabasePasswords, "change">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Forgets the passwords whose overlap has ended: from the Secret first, then, by the record, from every engine. */
export async function endOverlap(
  { records, passwords, clock, log }: OverlapContext,
  { uid }: DatabaseRecord,
): Promise<void> {
  const now = clock.now().toISOString();
  const { set, revision } = await passwords.change(uid, (held) => {
    const next = withoutEnded(held.set, now);
    return next === held.set ? held : { ...held, set: next, revision: held.revision + 1 };
  });
  await records.changeDatabase(uid, (old) => withPasswords(old, revision, nextOverlapEnd(set), now));
  log.info("the overlap of passwords has ended", { bdb: uid });
}
