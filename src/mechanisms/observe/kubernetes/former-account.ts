import type { Pod } from "kubernetes-types/core/v1.js";
import type { NodePod } from "../../../core/planner/view/cluster-view.ts";
import type { Ref, Stored } from "#kit/kube/kube";

/** When an account was made, as a timestamp; undefined when that is not known. */
export type FindAccount = (account: Ref) => string | undefined;

/** A kubelet renews the token of a pod sooner than this, in milliseconds: then it is one of the account that is there. */
const RENEWED_MS = 3_600_000;

/** Whether the account that a pod runs as was made again after it. A pod cannot be made before its account. */
export function accountOf(
  { metadata, spec }: Pick<Stored<Pod>, "metadata" | "spec">,
  madeAt: FindAccount | undefined,
  now = Date.now(),
): Pick<NodePod, "hasFormerAccount"> {
  const { namespace = "default", creationTimestamp = "" } = metadata;
  const made = Date.parse(madeAt?.({ name: spec?.serviceAccountName ?? "default", namespace }) ?? "");
  // false as well when one of them is not known
  const isFormer = Date.parse(creationTimestamp) < made && now - made < RENEWED_MS;
  return isFormer ? { hasFormerAccount: true } : {};
}
