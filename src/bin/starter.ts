import { jsonLog } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import { discoverEngines } from "../mechanisms/supervisor/engines.ts";
import { starterConfig } from "../programs/starter/config.ts";
import { runStarter } from "../programs/starter/starter.ts";

/** Files that engines make are for their group too, so that the agent can read and remove them. */
const UMASK = 0o007;

/** Starts the engines of one node for its agent: runs until that has ended. */
export async function main(): Promise<void> {
  process.umask(UMASK);
  const log = jsonLog(
    (line) => process.stderr.write(line),
    () => systemClock.now(),
    { program: "starter", pod: process.env["POD_NAME"] ?? "" },
  );
  const asked = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => asked.abort());
  const engines = await discoverEngines(process.env);
  await runStarter({ config: starterConfig(process.env), engines, clock: systemClock, log }, asked.signal);
  process.exit(0);
}
