import { describeObject, patchClusterTag, rolloutStatus } from "../../api/kubectl.ts";
import type { Finding } from "../../api/parts.ts";
import { releaseByNodeTag } from "../../releases/catalogue/find.ts";
import { pause } from "../findings/finding.ts";
import type { ClusterView } from "../view/cluster-view.ts";
import { madeFrom, newerRelease } from "../view/target.ts";

/** Management of databases, and of what a cluster upgrade does not need, is suspended (§1 rules 1 and 2). */
export type Suspension = Finding & { readonly id: "OperatorUpgraded" | "OperatorDowngraded" | "RollInProgress" };

/** The suspension of a cluster that is of another release than the operator; undefined when it is of the same. */
export function leftBehind(view: ClusterView): Suspension | undefined {
  const { workload, release: operator } = view;
  if (workload === undefined) return undefined;
  const other = madeFrom(view).find((tag) => releaseByNodeTag(tag)?.operator !== operator.operator);
  if (other === undefined) return undefined;
  const said = `the operator is ${operator.operator} and the cluster runs ${other}`;
  const newer = newerRelease(view);
  if (newer !== undefined)
    return pause("OperatorDowngraded", `${said}; apply the bundle of release ${newer.operator} again`);
  return pause("OperatorUpgraded", `${said}; ${upgradeRemedy(view)}`);
}

/** The suspension while nodes are replaced by those of another release. */
export function rollInProgress({ name }: ClusterView): Suspension {
  return pause("RollInProgress", `the nodes are being replaced; watch: ${rolloutStatus(name)}`);
}

/** What a user does about a cluster of an older release than its operator; a command that the user has followed is left out. */
function upgradeRemedy({ name, release, spec }: Pick<ClusterView, "name" | "release" | "spec">): string {
  return spec.storeEnterpriseImageSpec?.versionTag === release.nodeTag
    ? `the upgrade is asked for, see what blocks it: ${describeObject(`rec ${name}`)}`
    : `upgrade the cluster: ${patchClusterTag(name, release.nodeTag)}`;
}
