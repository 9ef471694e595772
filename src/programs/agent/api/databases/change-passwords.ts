import type { DatabaseRecord } from "../../../../core/api/records.ts";
import {
  MOST_FURTHER_PASSWORDS,
  withoutEnded,
  withPasswordChange,
} from "../../../../core/planner/database/passwords.ts";
import type { PasswordChange, PasswordRefusal, PasswordSet } from "../../../../core/planner/database/passwords.ts";
import type { Fault } from "#kit/base/fault";
import { awaitEndpoints } from "./await-endpoints.ts";
import { changeParts } from "./change-parts.ts";
import { requireCapability, requireLicense } from "./checks.ts";
import { refusals, refuse } from "../http/refusals.ts";
import type { WriteContext } from "./write-context.ts";

/** Changes the passwords of a database, whatever else changes of it. Resolves once the endpoints go by it, or after a moment. */
export async function changePasswords(
  context: WriteContext,
  seen: DatabaseRecord,
  change: PasswordChange,
): Promise<DatabaseRecord> {
  const passwords = await checkedPasswords(context, seen, change);
  if (passwords === undefined) return seen;
  const record = await changeParts(context, seen, { passwords });
  await awaitEndpoints(context, record, change);
  return record;
}

/** The change of the set, once it has been checked; undefined when it would change nothing. */
export async function checkedPasswords(
  context: WriteContext,
  seen: DatabaseRecord,
  change: PasswordChange,
): Promise<((set: PasswordSet) => PasswordSet) | undefined> {
  if (!(await isAllowedChange(context, seen, change))) return undefined;
  requireExisting(seen);
  return (set) => applyChange(context, seen, set, change);
}

/** False when it would change nothing; refused where it cannot be made, as while a node of an older release is a member. */
export async function isAllowedChange(
  context: WriteContext,
  seen: DatabaseRecord,
  change: PasswordChange,
): Promise<boolean> {
  const stored = await context.passwords.read(seen.uid);
  const isRecorded = stored.revision === (seen.passwords?.revision ?? 0);
  if (isRecorded && applyChange(context, seen, stored.set, change) === stored.set) return false;
  requireLicense(context);
  requireCapability(context, "password-overlap", "keeps to the overlap of two passwords");
  return true;
}

function applyChange(
  { clock }: Pick<WriteContext, "clock">,
  { name, passwordOverlap }: DatabaseRecord,
  set: PasswordSet,
  change: PasswordChange,
): PasswordSet {
  const now = clock.now();
  const overlapEnd = new Date(now.getTime() + passwordOverlap * 1000).toISOString();
  const next = withPasswordChange(set, change, overlapEnd);
  if (typeof next === "string") throw refusalOf(next, name);
  return withoutEnded(next, now.toISOString());
}

function requireExisting({ name, status }: DatabaseRecord): void {
  if (status === "delete-pending") throw refuse(refusals.busy, `"${name}" is being deleted`);
}

function refusalOf(refusal: PasswordRefusal, name: string): Fault {
  switch (refusal) {
    case "too many":
      return refuse(
        refusals.passwords,
        `"${name}" accepts as many passwords as it may: ${MOST_FURTHER_PASSWORDS} besides the current one, former ones included`,
      );
    case "not there":
      return refuse(refusals.passwords, `"${name}" does not accept this password`);
    case "the only one":
      return refuse(refusals.passwords, `"${name}" has no other password that stays`);
  }
}
