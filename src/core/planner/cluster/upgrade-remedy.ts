import { describeObject, patchClusterTag } from "../../api/kubectl.ts";
import type { ClusterView } from "../view/cluster-view.ts";

/** What a user does about a cluster of an older release than its operator; a command that the user has followed is left out. */
export function upgradeRemedy({ name, release, spec }: Pick<ClusterView, "name" | "release" | "spec">): string {
  return spec.storeEnterpriseImageSpec?.versionTag === release.nodeTag
    ? `the upgrade is asked for, see what blocks it: ${describeObject(`rec ${name}`)}`
    : `upgrade the cluster: ${patchClusterTag(name, release.nodeTag)}`;
}
