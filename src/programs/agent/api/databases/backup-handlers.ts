import { type Handlers, uidParam } from "../http/handler-call.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { type LeaderContext, runOnLeader } from "../http/run-on-leader.ts";
import { backupBdb, lastBackup, lastBackups, removeBackupOf, type BackupContext } from "./backup-bdb.ts";
import { restoreHere, DatabaseRestores, type DataRestoreContext } from "./restore-bdb.ts";
import type { DatabaseReads } from "./databases.ts";
import { inspectBackup } from "./inspect-backup.ts";

/** Backups of databases. The leader takes them all: asked elsewhere, one that runs would not be seen. */
export function backupHandlers(
  context: BackupContext & LeaderContext & DataRestoreContext,
  reads: DatabaseReads,
): Pick<
  Handlers,
  "startBackup" | "removeBackup" | "backup" | "backups" | "startRestore" | "restore" | "inspectBackup" | "localRestore"
> {
  const restores = new DatabaseRestores(context);
  return {
    startRestore: ({ params, body, forwardedBy }) =>
      runOnLeader(context, "startRestore", { params: uidParam(params), body }, forwardedBy, async () =>
        restores.begin(await reads.record(params.uid), body),
      ),
    restore: ({ params, forwardedBy }) =>
      runOnLeader(context, "restore", { params: uidParam(params) }, forwardedBy, async () =>
        restores.of(await reads.record(params.uid)),
      ),
    inspectBackup: ({ body }) => inspectBackup(context, body),
    localRestore: ({ body }) => restoreHere(context, body),
    startBackup: ({ params, body, forwardedBy }) =>
      runOnLeader(context, "startBackup", { params: uidParam(params), body }, forwardedBy, async () =>
        backupBdb(context, await reads.record(params.uid), body),
      ),
    removeBackup: ({ params, body, forwardedBy }) =>
      runOnLeader(context, "removeBackup", { params: uidParam(params), body }, forwardedBy, async () => {
        const reader = restores.readerOf(body);
        if (reader !== undefined)
          throw refuse(refusals.backupRuns, `database ${reader} is restored from backup ${body.name}`);
        return removeBackupOf(context, await reads.record(params.uid), body);
      }),
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
