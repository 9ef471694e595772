import { readOperatorConfig } from "../operator/config.ts";
import { runOperator } from "../operator/run.ts";
import { runInCluster } from "./in-cluster.ts";

/** Runs the operator until SIGTERM or SIGINT. */
export async function main(): Promise<void> {
  await runInCluster(({ namespace, ...deps }, signal) =>
    runOperator({ ...deps, config: readOperatorConfig(process.env, namespace) }, signal),
  );
}
