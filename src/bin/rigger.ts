import { readRiggerConfig } from "../programs/rigger/config.ts";
import { runRigger } from "../programs/rigger/run.ts";
import { runInCluster } from "./in-cluster.ts";

/** Runs the services rigger until SIGTERM or SIGINT. */
export async function main(): Promise<void> {
  await runInCluster(({ namespace, ...deps }, signal) =>
    runRigger({ ...deps, readConfig: () => readRiggerConfig(process.env, namespace) }, signal),
  );
}
