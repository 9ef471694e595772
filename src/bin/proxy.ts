import { jsonLog } from "#kit/base/log";
import { runProxy } from "../programs/proxy/proxy.ts";
import { readWorker } from "../programs/proxy/limits/proxy-worker.ts";
import { systemClock } from "#kit/reconcile/system-clock";

/** The endpoints of the databases, as a child process of the agent: it learns over IPC what to serve, and ends with the agent. */
export async function main(): Promise<void> {
  const log = jsonLog(
    (line) => process.stderr.write(line),
    () => systemClock.now(),
    { program: "proxy" },
  );
  // the agent decides when its proxy ends: a signal to the whole group must not take clients by surprise
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => {
      log.info("proxy goes on until its agent ends", { signal });
    });
  const worker = readWorker(process.env["PROXY_WORKER"]);
  await runProxy(process, { clock: systemClock, log, worker }, process.env["CONTAINER_ROOT"] ?? "/");
  process.exit(0);
}
