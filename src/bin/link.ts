import { jsonLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { runLink } from "../programs/link/link.ts";

/** The links of databases to other sites, as a child process of the agent: it learns over IPC what to link, and ends with the agent. */
export async function main(): Promise<void> {
  const log = jsonLog(
    (line) => process.stderr.write(line),
    () => systemClock.now(),
    { program: "link" },
  );
  // the agent decides when its link ends
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => {
      log.info("link goes on until its agent ends", { signal });
    });
  await runLink(process, { clock: systemClock, log });
  process.exit(0);
}
