import { jsonLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { runMover } from "../programs/mover/mover.ts";

/** Passes the keys of some shards on to new ones, as a child process of the agent: it learns over IPC which, and ends with the agent. */
export async function main(): Promise<void> {
  const log = jsonLog(
    (line) => process.stderr.write(line),
    () => systemClock.now(),
    { program: "mover" },
  );
  await runMover(process, { clock: systemClock, log });
  process.exit(0);
}
