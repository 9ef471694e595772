import type { PasswordChange } from "../../../core/planner/database/passwords.ts";
import type { BdbRecord } from "../../../ports/management/records.ts";
import type { DatabaseWrites } from "./database-writes.ts";
import type { DatabaseReads } from "./databases.ts";
import { uidParam } from "./handler-call.ts";
import type { Handlers } from "./handler-call.ts";
import { runOnLeader } from "./run-on-leader.ts";
import type { LeaderContext } from "./run-on-leader.ts";

export type PasswordRoutes = "addPassword" | "replacePasswords" | "removePassword";

/** The passwords of a database, which no answer shows. */
export function passwordHandlers(
  context: LeaderContext,
  reads: DatabaseReads,
  writes: DatabaseWrites,
): Pick<Handlers, PasswordRoutes> {
  const change =
    (uid: string | undefined, asked: PasswordChange): (() => Promise<BdbRecord>) =>
    async () =>
      reads.fresh(await writes.passwords(reads.record(uid), asked));
  return {
    addPassword: ({ params, body, forwardedBy }) =>
      runOnLeader(
        context,
        "addPassword",
        { params: uidParam(params), body },
        forwardedBy,
        change(params.uid, { kind: "add", ...body }),
      ),
    replacePasswords: ({ params, body, forwardedBy }) =>
      runOnLeader(
        context,
        "replacePasswords",
        { params: uidParam(params), body },
        forwardedBy,
        change(params.uid, { kind: "replace", ...body }),
      ),
    removePassword: ({ params, body, forwardedBy }) =>
      runOnLeader(
        context,
        "removePassword",
        { params: uidParam(params), body },
        forwardedBy,
        change(params.uid, { kind: "remove", ...body }),
      ),
  };
}
