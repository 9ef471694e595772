import { type Handlers, uidParam } from "../http/handler-call.ts";
import { type LeaderContext, runOnLeader } from "../http/run-on-leader.ts";
import { backupBdb, lastBackup, lastBackups, type BackupContext } from "./backup-bdb.ts";
import type { DatabaseReads } from "./databases.ts";

/** Backups of databases. The leader takes them all: asked elsewhere, one that runs would not be seen. */
export function backupHandlers(
  context: BackupContext & LeaderContext,
  reads: DatabaseReads,
): Pick<Handlers, "startBackup" | "backup" | "backups"> {
  return {
    startBackup: ({ params, body, forwardedBy }) =>
      runOnLeader(context, "startBackup", { params: uidParam(params), body }, forwardedBy, async () =>
        backupBdb(context, await reads.record(params.uid), body),
      ),
    backup: ({ params, forwardedBy }) =>
      runOnLeader(context, "backup", { params: uidParam(params) }, forwardedBy, async () =>
        lastBackup(context, await reads.record(params.uid)),
      ),
    backups: ({ params, forwardedBy }) =>
      runOnLeader(context, "backups", { params: uidParam(params) }, forwardedBy, async () =>
        lastBackups(context, await reads.record(params.uid)),
      ),
  };
}
