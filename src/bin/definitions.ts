import { applyDefinitions } from "../programs/operator/definitions.ts";
import { readOperatorConfig } from "../programs/operator/process/config.ts";
import { runInCluster } from "./in-cluster.ts";

/** Brings the definitions of our kinds to the release of this image, then ends; what the Helm chart runs before an upgrade. */
export async function main(): Promise<void> {
  await runInCluster(({ kube, log, namespace }) =>
    applyDefinitions(kube, readOperatorConfig(process.env, namespace).release, log),
  );
}
