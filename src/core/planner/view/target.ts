import type { ClusterSpec } from "../../api/cluster-spec.ts";
import { compareVersionText } from "../../base/version.ts";
import { releaseByNodeTag } from "../../releases/catalogue/find.ts";
import { imageOf, REPOSITORIES } from "../../releases/catalogue/images.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import { nodeOf, type ClusterView, type NodePod } from "./cluster-view.ts";

type TargetFacts = Pick<ClusterView, "spec" | "remembered" | "operator" | "workload">;

/**
 * The node tag that the cluster shall run. Automatic upgrade makes it the operator's own; a tag in the spec is the
 * user's word; else the tag stays what it is, so that a new operator moves nothing by itself (§2.2).
 */
export function targetTag({ spec, remembered, operator, workload }: TargetFacts): string {
  const asked = spec.storeEnterpriseImageSpec?.versionTag;
  if (isAutoUpgrade(spec) && (asked === undefined || asked === workload?.imageTag)) return operator.nodeTag;
  return asked ?? remembered.imageTag ?? workload?.imageTag ?? operator.nodeTag;
}

/** Reference of the node image that the cluster shall run. */
export function targetImage(view: TargetFacts): string {
  return imageOf(view.spec.storeEnterpriseImageSpec, REPOSITORIES.node, targetTag(view));
}

/**
 * The tag of what a node pod really runs, undefined until its node has reported it. A pod that is made from one tag runs
 * another one when its node reports another release, or when its image has the digest of a pod that is made from an older tag.
 */
export function runningTag(view: ClusterView, pod: NodePod): string | undefined {
  const node = nodeOf(view, pod);
  if (node?.active !== true || !pod.containerReady || pod.deleting) return undefined;
  if (pod.imageTag === targetTag(view)) {
    const older = view.pods.find(({ imageTag, digest }) => imageTag !== pod.imageTag && digest === pod.digest);
    if (older !== undefined && pod.digest !== "") return older.imageTag;
  }
  return isSameRelease(node.tag, pod.imageTag) ? pod.imageTag : node.tag;
}

/** Nodes report the first tag of their release, also when their image is a later build of it. */
function isSameRelease(reported: string, tag: string): boolean {
  const release = releaseByNodeTag(reported);
  return reported === tag || (release !== undefined && release === releaseByNodeTag(tag));
}

/** `autoUpgradeStoreEnterprise`, wherever it is set; a contradiction counts as false. */
export function isAutoUpgrade(spec: ClusterSpec): boolean {
  return (
    !autoUpgradeContradicts(spec) &&
    (spec.autoUpgradeStoreEnterprise ?? spec.upgradeSpec?.autoUpgradeStoreEnterprise ?? false)
  );
}

/** Both places of `autoUpgradeStoreEnterprise` are set, to different values. */
export function autoUpgradeContradicts({ autoUpgradeStoreEnterprise: here, upgradeSpec }: ClusterSpec): boolean {
  const there = upgradeSpec?.autoUpgradeStoreEnterprise;
  return here !== undefined && there !== undefined && here !== there;
}

/** A wanted change of version: where from, where to. A release is undefined when its tag is not in the catalogue. */
export interface VersionChange {
  readonly fromTag: string;
  readonly from: Release | undefined;
  readonly toTag: string;
  readonly to: Release | undefined;
}

/** The version change that is wanted or under way; undefined when every node pod is made from the target and no node reports another. */
export function versionChange(view: ClusterView): VersionChange | undefined {
  if (view.workload === undefined) return undefined;
  const toTag = targetTag(view);
  const running = view.pods.map((pod) => runningTag(view, pod) ?? pod.imageTag);
  const tags = [...running, view.workload.imageTag].filter((tag) => tag !== toTag);
  // of several, one that nothing is known of decides
  const fromTag = tags.find((tag) => releaseByNodeTag(tag) === undefined) ?? tags[0];
  if (fromTag === undefined) return undefined;
  return { fromTag, from: releaseByNodeTag(fromTag), toTag, to: releaseByNodeTag(toTag) };
}

/** The newest release that nodes are made from, when it is newer than the operator's own. */
export function newerRelease({ workload, pods, operator }: ClusterView): Release | undefined {
  return [...(workload === undefined ? [] : [workload]), ...pods]
    .map(({ imageTag }) => releaseByNodeTag(imageTag))
    .filter((release) => release !== undefined)
    .find((release) => (compareVersionText(release.operator, operator.operator) ?? 0) > 0);
}
