import { describeObject, patchClusterTag, rolloutStatus } from "../../../core/api/kubectl.ts";
import { describeStatefulSet } from "../../../core/planner/cluster/pods.ts";
import type { ClusterView } from "../../../core/planner/view/cluster-view.ts";

/** Reasons of conditions while nodes are replaced: the roll continues, and can be watched. */
const ROLLING = [
  "AutomaticUpgrade",
  "EvacuatingNode",
  "HoldingPods",
  "NodeJoining",
  "PodReplacing",
  "ReplacingPod",
  "RollInProgress",
  "SettingReadiness",
  "TakingNodeBack",
];

/** The command for a condition that no finding explains, by its reason. `object`: for instance `rec/store`. */
export function remedyOf(reason: string, object: string, view: ClusterView): string {
  const { name, release, spec } = view;
  const isAsked = spec.storeEnterpriseImageSpec?.versionTag === release.nodeTag;
  if (reason === "OperatorUpgraded" && !isAsked) return patchClusterTag(name, release.nodeTag);
  if (reason === "PodMissing") return describeStatefulSet(name);
  return ROLLING.includes(reason) ? rolloutStatus(name) : describeObject(object);
}
