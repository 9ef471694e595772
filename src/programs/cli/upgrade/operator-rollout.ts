import type { Pod } from "kubernetes-types/core/v1.js";
import { OPERATOR_NAME } from "../../../core/api/names.ts";
import { Deployments, Pods } from "#kit/kube/builtin";
import type { Stored } from "#kit/kube/kube";
import type { NamespaceAccess } from "../access/namespace-access.ts";

/** True while the Deployment of the operator brings up its pods: their image is there, and Kubernetes has not given up on it (`progressDeadlineSeconds`). */
export async function operatorIsStarting({ kube, namespace }: NamespaceAccess): Promise<boolean> {
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
  const isUnderWay = !isRolledOut && progress?.status === "True" && progress.reason !== "NewReplicaSetAvailable";
  if (!isUnderWay || observedGeneration < (deployment.metadata.generation ?? 0)) return isUnderWay;
  const { items } = await kube.list(Pods, { namespace, labelSelector: `name=${OPERATOR_NAME}` });
  return !items.some(lacksImage);
}

/** Kubernetes tries again for ten minutes before it gives up on an image that is not there. */
function lacksImage({ metadata, status }: Stored<Pod>): boolean {
  const reasons = status?.containerStatuses?.map(({ state }) => state?.waiting?.reason ?? "") ?? [];
  return metadata.deletionTimestamp === undefined && reasons.some((reason) => NO_IMAGE.includes(reason));
}

const NO_IMAGE = ["ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull"];
