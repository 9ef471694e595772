import type { ClusterSpec } from "../../api/cluster-spec.ts";
import { compareVersionText } from "#kit/base/version";
import { releaseByNodeTag } from "../../releases/catalogue/find.ts";
import { imageOf, REPOSITORIES } from "../../releases/catalogue/images.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import { nodeOf, uidOf, type ClusterView, type NodePod } from "./cluster-view.ts";

type TargetFacts = Pick<ClusterView, "spec" | "remembered" | "release" | "workload" | "pods" | "cluster">;

/**
 * The node tag that the cluster shall run. Automatic upgrade asks for the operator's own tag; otherwise the tag in the spec counts; without one
 * the tag stays as it is, so that a new operator changes nothing unasked (§2.2). A step that is under way ends before the next one begins
 * automatically.
 */
export function targetTag(view: TargetFacts): string {
  const { spec, remembered, release, workload } = view;
  const { versionTag } = spec.storeEnterpriseImageSpec ?? {};
  const isDone = versionTag === undefined || (versionTag === workload?.nodeTag && !isBetween(view, versionTag));
  if (isAutoUpgrade(spec) && isDone) return release.nodeTag;
  return versionTag ?? remembered.imageTag ?? workload?.nodeTag ?? release.nodeTag;
}

/** Nodes of two releases run, and one of them is that of `tag`. */
function isBetween(view: Pick<ClusterView, "cluster" | "pods">, tag: string): boolean {
  const tags = runningReleases(view);
  return tags.length > 1 && tags.some((each) => isSameRelease(each, tag));
}

/** A tag for each release that nodes report to run, in the order of the nodes; one that has no pod any more runs none. */
export function runningReleases({ cluster, pods }: Pick<ClusterView, "cluster" | "pods">): readonly string[] {
  const nodes = cluster.reachable ? cluster.nodes : [];
  const tags = nodes.filter(({ uid }) => pods.some((pod) => uidOf(pod) === uid)).map(({ tag }) => tag);
  return tags.filter((tag, index) => tags.findIndex((each) => isSameRelease(each, tag)) === index);
}

/** What nodes are made from: the template counts only until there is a pod, since others may change it. */
export function madeFrom({ workload, pods }: Pick<ClusterView, "workload" | "pods">): readonly string[] {
  return pods.length > 0 || workload === undefined ? pods.map(({ nodeTag }) => nodeTag) : [workload.nodeTag];
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
  if (pod.nodeTag === targetTag(view)) {
    const older = view.pods.find(({ nodeTag, digest }) => nodeTag !== pod.nodeTag && digest === pod.digest);
    if (older !== undefined && pod.digest !== "") return older.nodeTag;
  }
  return isSameRelease(node.tag, pod.nodeTag) ? pod.nodeTag : node.tag;
}

/** How many nodes are active at a tag: also one whose pod waits to be in service until the next node is evacuated. */
export function nodesAt(view: ClusterView, tag: string): number {
  return view.pods.filter((pod) => runningTag(view, pod) === tag).length;
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
  readonly to: Release | undefined;
}

/** The version change that is wanted or under way; undefined when every node pod is made from the target and no node reports another. */
export function versionChange(view: ClusterView): VersionChange | undefined {
  if (view.workload === undefined) return undefined;
  const tag = targetTag(view);
  const running = view.pods.map((pod) => runningTag(view, pod) ?? pod.nodeTag);
  const tags = [...running, ...madeFrom(view)].filter((each) => each !== tag);
  // of several, one that nothing is known of decides
  const fromTag = tags.find((each) => releaseByNodeTag(each) === undefined) ?? tags[0];
  if (fromTag === undefined) return undefined;
  return { fromTag, from: releaseByNodeTag(fromTag), to: releaseByNodeTag(tag) };
}

/** Another version is asked for, and nothing has been done about it. */
export function isVersionAsked(view: ClusterView): boolean {
  return versionChange(view) !== undefined && view.workload?.nodeTag !== targetTag(view);
}

/** The newest release that nodes are made from, when it is newer than the operator's own. */
export function newerRelease(view: ClusterView): Release | undefined {
  return madeFrom(view)
    .map(releaseByNodeTag)
    .filter((release) => release !== undefined)
    .find((release) => isNewer(release, view.release));
}

/**
 * Nodes are made from `release` or have reported it, and none a newer one: a step to it is at rest or under way. The pod of a node that
 * had come to it may have been made from another image since.
 */
export function isNewestOfNodes(view: ClusterView, release: Release): boolean {
  const made = [...madeFrom(view), ...runningReleases(view)].map(releaseByNodeTag);
  return made.includes(release) && !made.some((each) => each !== undefined && isNewer(each, release));
}

function isNewer(one: Release, other: Release): boolean {
  return (compareVersionText(one.operator, other.operator) ?? 0) > 0;
}
