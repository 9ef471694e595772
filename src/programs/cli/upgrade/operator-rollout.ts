import { OPERATOR_NAME } from "../../../core/api/names.ts";
import { Deployments } from "../../../ports/kube/builtin.ts";
import type { Site } from "../site/site.ts";

/** True while the Deployment of the operator brings up its pods, and Kubernetes has not given up on it (`progressDeadlineSeconds`). */
export async function operatorIsStarting({ kube, namespace }: Site): Promise<boolean> {
  const deployment = await kube.get(Deployments, { name: OPERATOR_NAME, namespace });
  if (deployment === undefined) return false;
  const {
    observedGeneration = 0,
    updatedReplicas = 0,
    availableReplicas = 0,
    conditions = [],
  } = deployment.status ?? {};
  const wanted = deployment.spec?.replicas ?? 1;
  const isRolledOut =
    observedGeneration >= (deployment.metadata.generation ?? 0) &&
    updatedReplicas >= wanted &&
    availableReplicas >= wanted;
  // a Deployment that was rolled out before keeps Progressing=True though its pods have left: only one under way is waited for
  const progress = conditions.find(({ type }) => type === "Progressing");
  return !isRolledOut && progress?.status === "True" && progress.reason !== "NewReplicaSetAvailable";
}
