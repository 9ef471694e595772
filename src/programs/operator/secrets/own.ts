import type { Secret } from "kubernetes-types/core/v1.js";
import { Fault } from "#kit/base/fault";
import { holderBesides, isMarkedAs } from "../../../core/planner/ownership/marks.ts";
import { Secrets } from "#kit/kube/builtin";
import type { Kube, Ref, Stored } from "#kit/kube/kube";
import { faults } from "../faults.ts";

/**
 * A Secret that the operator makes for the cluster `cluster`, read under the name that it has for it; undefined when there is none.
 * OPERATOR_OBJECT_NOT_OURS when its marks say that it belongs to something else.
 */
export async function readOwn(
  kube: Kube,
  cluster: string,
  ref: Required<Ref>,
  uid = "",
): Promise<Stored<Secret> | undefined> {
  const found = await kube.get(Secrets, ref);
  if (found === undefined || isMarkedAs(found.metadata, uid)) return found;
  const holder = holderBesides(found.metadata, `StoreEnterpriseCluster ${cluster}`);
  if (holder === undefined) return found;
  throw new Fault(faults.objectNotOurs, `the Secret ${ref.name} belongs to ${holder}`, { name: ref.name });
}
