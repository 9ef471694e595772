import { readOperatorConfig } from "../operator/config.ts";
import { runOperator } from "../operator/run.ts";
import { startWebhook } from "../webhook/run.ts";
import { runInCluster } from "./in-cluster.ts";

/** Runs the operator, and the admission webhook beside it, until SIGTERM or SIGINT. */
export async function main(): Promise<void> {
  await runInCluster(async ({ namespace, ...deps }, signal) => {
    const config = readOperatorConfig(process.env, namespace);
    const { address, release } = config;
    const where = { namespace: config.namespace, watched: [config.namespace], address, release };
    const webhook = startWebhook({ ...deps, ...where }, signal);
    await Promise.all([runOperator({ ...deps, config, alongside: webhook }, signal), webhook.ended]);
  });
}
