import type { Records } from "../records/records.ts";
import type { DatabasePasswords } from "./database-passwords.ts";
import type { UserPasswords } from "./user-passwords.ts";

/** What remembers passwords, and what names those that there are. */
export interface ForgetPasswordsContext {
  readonly records: Pick<Records, "databases" | "state">;
  readonly passwords: Pick<DatabasePasswords, "keepOnly">;
  readonly userPasswords: Pick<UserPasswords, "keepOnly">;
}

/** Forgets the passwords of databases and users that the records do not name any more, also of those that another node deleted. */
export function forgetPasswords({ records, passwords, userPasswords }: ForgetPasswordsContext): void {
  passwords.keepOnly(new Set(records.databases().map(({ uid }) => uid)));
  const state = records.state();
  if (state !== undefined) userPasswords.keepOnly(new Set(state.users?.map(({ secret }) => secret)));
}
