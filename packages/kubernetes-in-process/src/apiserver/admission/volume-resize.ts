import { parseQuantity } from "../../../../controller-kit/src/base/quantity.ts";
import type { ServerContext } from "../context/server-context.ts";
import { apiError, apiErrors } from "../faults.ts";
import { mapAt, textAt } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";

/** A claim grows only when it is bound and its storage class allows it. */
export function checkResize({ store }: ServerContext, claim: KubeObject, before: KubeObject): void {
  if (requestedBytes(claim) <= requestedBytes(before)) return;
  const { name } = claim.metadata;
  const refuse = (why: string): never => {
    const message = `persistentvolumeclaims ${JSON.stringify(name)} is forbidden: ${why}`;
    throw apiError(apiErrors.forbidden, message, { name, kind: "persistentvolumeclaims" });
  };
  if (textAt(before, "status", "phase") !== "Bound") refuse("Only bound persistent volume claims can be expanded");
  const storageClass = store.get("storageclasses.storage.k8s.io", textAt(claim, "spec", "storageClassName"));
  if (storageClass?.["allowVolumeExpansion"] !== true) {
    refuse(
      "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
    );
  }
}

function requestedBytes(claim: KubeObject): number {
  return parseQuantity(String(mapAt(claim, "spec", "resources", "requests")["storage"] ?? "0"));
}
