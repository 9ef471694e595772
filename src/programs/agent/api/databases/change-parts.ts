import type { EndpointCertificate } from "../../../../core/api/endpoint-certificate.ts";
import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { nextOverlapEnd } from "../../../../core/planner/database/passwords.ts";
import type { PasswordSet } from "../../../../core/planner/database/passwords.ts";
import type { StoredPasswords } from "../../credentials/stored-passwords.ts";
import { withPasswords } from "../../../../core/records/changes.ts";
import { isSameCertificate, shownOf } from "./change-certificate.ts";
import { changeRecord } from "./record-changes.ts";
import { refusalOf, refusals } from "../http/refusals.ts";
import type { WriteContext } from "./write-context.ts";

/** What one request changes of a database, every part checked before the first is written. */
export interface Parts {
  readonly certificate?: EndpointCertificate | undefined;
  /** The set after the change of passwords; the set itself when nothing is left to do. */
  readonly passwords?: ((set: PasswordSet) => PasswordSet) | undefined;
  /** The record with the changed settings; throws the refusal of a record that takes none now. */
  readonly settings?: ((record: DatabaseRecord) => DatabaseRecord) | undefined;
}

/**
 * Writes all parts of a change: the Secret first and the record after it, each once. A node that reads the Secret because of the record finds
 * this one or a later one, and a caller that repeats a request which was cut short in between completes it. Whether the record takes the change,
 * and whether the user who asked for it still may, is looked at before the Secret is written, and again with the record. When that refuses, the
 * Secret gets back what it had: a request that is refused has changed nothing.
 */
export async function changeParts(
  context: Pick<WriteContext, "passwords" | "records" | "clock">,
  seen: DatabaseRecord,
  parts: Parts,
): Promise<DatabaseRecord> {
  const { passwords, records, clock } = context;
  let before: StoredPasswords | undefined;
  const isSecret = parts.certificate !== undefined || parts.passwords !== undefined;
  if (isSecret) await requireTaken(records, seen.uid, parts);
  const stored = isSecret
    ? await passwords.change(seen.uid, (held) => {
        before = held;
        return withSecretParts(held, parts);
      })
    : undefined;
  const now = clock.now().toISOString();
  try {
    return await changeRecord(records, seen.uid, (old) => withRecordParts(old, parts, stored, now));
  } catch (error) {
    const isRefused = refusalOf(error) !== refusals.internal;
    if (isRefused && before !== undefined && stored !== before) await restore(context, seen.uid, before);
    throw error;
  }
}

/** The record as it was, with all that its change asks for. */
async function requireTaken(
  records: Pick<WriteContext["records"], "changeDatabase">,
  uid: number,
  { settings }: Parts,
): Promise<void> {
  await changeRecord(records, uid, (old) => {
    settings?.(old);
    return old;
  });
}

function withSecretParts(held: StoredPasswords, { certificate, passwords }: Parts): StoredPasswords {
  const set = passwords?.(held.set) ?? held.set;
  const changed = set === held.set ? held : { ...held, set, revision: held.revision + 1 };
  return certificate === undefined ? changed : { ...changed, certificate };
}

function withRecordParts(
  old: DatabaseRecord,
  { certificate, passwords, settings }: Parts,
  stored: StoredPasswords | undefined,
  now: string,
): DatabaseRecord {
  const set = settings?.(old) ?? old;
  const shown = certificate && shownOf(certificate);
  const shows =
    shown === undefined || isSameCertificate(set.certificate, shown)
      ? set
      : { ...set, certificate: shown, lastChangedTime: now };
  if (passwords === undefined || stored === undefined) return shows;
  return withPasswords(shows, stored.revision, nextOverlapEnd(stored.set), now);
}

/** Another revision, since a node may have read the one in between. */
async function restore(
  { passwords }: Pick<WriteContext, "passwords">,
  uid: number,
  { set, certificate }: StoredPasswords,
): Promise<void> {
  await passwords.change(uid, (held) => {
    const former = held.set === set ? held : { ...held, set, revision: held.revision + 1 };
    return certificate === undefined ? former : { ...former, certificate };
  });
}
