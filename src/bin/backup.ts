import { constants, setPriority } from "node:os";
import { jsonLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { runBackup } from "../programs/backup/backup.ts";

/** Takes a backup of a database, as a child process of the agent: it learns over IPC which, and ends with the agent. Clients come first. */
export async function main(): Promise<void> {
  setPriority(constants.priority.PRIORITY_LOW);
  const log = jsonLog(
    (line) => process.stderr.write(line),
    () => systemClock.now(),
    { program: "backup" },
  );
  await runBackup(process, { clock: systemClock, log });
  process.exit(0);
}
