import { followWatchedNamespaces } from "../mechanisms/observe/kubernetes/watched-namespaces.ts";
import { readOperatorConfig } from "../programs/operator/process/config.ts";
import { readOwnModules } from "../programs/operator/process/own-modules.ts";
import { runOperator } from "../programs/operator/run.ts";
import { startWebhook } from "../programs/webhook/run.ts";
import { runInCluster } from "./in-cluster.ts";

/** Runs the operator, and the admission webhook beside it, until SIGTERM or SIGINT. */
export async function main(): Promise<void> {
  await runInCluster(async ({ namespace: ownNamespace, ...deps }, signal) => {
    const read = readOperatorConfig(process.env, ownNamespace);
    const { address, release, namespace } = read;
    const config = { ...read, ownModules: readOwnModules({ ...deps, env: process.env, release }) };
    const watched = followWatchedNamespaces(deps.kube, { own: namespace, clock: deps.clock, log: deps.log, signal });
    const webhook = startWebhook({ ...deps, namespace, watched, address, release }, signal);
    await Promise.all([runOperator({ ...deps, config, watched, alongside: webhook }, signal), webhook.ended]);
  });
}
