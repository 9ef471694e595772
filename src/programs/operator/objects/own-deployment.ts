import type { OwnerReference } from "kubernetes-types/meta/v1.js";
import { OPERATOR_NAME } from "../../../core/api/names.ts";
import { Fault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { Deployments } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import { ownerReference } from "#kit/kube/ref";

/**
 * The operator's own Deployment as the owner of what the operator makes for itself, so that this goes when the bundle does.
 * Undefined where there is none, as in a process of one's own, or where it cannot be read.
 */
export async function ownDeployment(kube: Kube, namespace: string, log: Log): Promise<OwnerReference | undefined> {
  try {
    const { items } = await kube.list(Deployments, { namespace, fieldSelector: `metadata.name=${OPERATOR_NAME}` });
    const [own] = items;
    return own === undefined ? undefined : ownerReference(own);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    log.warn("the operator's own Deployment cannot be read: its Lease and Secret stay when it goes", { error });
    return undefined;
  }
}
