import { deleteObjects, editObject, patchCluster } from "../../api/kubectl.ts";
import { releaseByNodeTag } from "../../releases/catalogue/find.ts";
import { block } from "../findings/finding.ts";
import type { ClusterView, NodePod } from "../view/cluster-view.ts";
import { runningTag, targetImage, targetTag } from "../view/target.ts";
import { defineCheck } from "./check.ts";

/** A stale digest under a new tag is no upgrade: it would restart every node and change nothing. */
export const digestIsOfTheTag = defineCheck({
  id: "ImageDigestStale",
  asks: "the digest of the node image is that of the new tag",
  at: ["edit"],
  needs: [],
  find({ view }) {
    const digest = view.spec.storeEnterpriseImageSpec?.digestHash ?? "";
    const tag = targetTag(view);
    const old = view.pods.find((pod) => digest !== "" && pod.digest === digest && pod.nodeTag !== tag);
    if (old === undefined) return undefined;
    return block(
      "ImageDigestStale",
      `spec.storeEnterpriseImageSpec asks for versionTag "${tag}" with digestHash ${digest}, and that is the image of ` +
        `tag "${old.nodeTag}", which pod ${nameOf(view, old)} runs: the digest decides, so no node would change its version`,
      `set the digest of the new tag, or go without one: ${patchCluster(view.name, { storeEnterpriseImageSpec: { digestHash: null } })}`,
    );
  },
});

/** Checks pods that are made from the present spec; other pods are replaced anyway. */
export const nodesRunTheirImage = defineCheck({
  id: "NodeVersionMismatch",
  asks: "every node runs the version that its pod is made from",
  at: ["edit"],
  needs: [],
  find({ view }) {
    const wrong = view.pods.filter((pod) => isAsAsked(view, pod) && differs(runningTag(view, pod), pod));
    const [first] = wrong;
    if (first === undefined) return undefined;
    return block(
      "NodeVersionMismatch",
      `${wrong.map((pod) => runningText(view, pod)).join("; ")}: the cluster is not upgraded, and no further node is replaced`,
      `let repository, versionTag and digestHash name one image: ${editObject(`rec ${view.name}`)}; ` +
        `where the registry had a wrong image under this tag: ${deleteObjects("pod", [nameOf(view, first)])}`,
    );
  },
});

function isAsAsked(view: ClusterView, { revision }: NodePod): boolean {
  return view.workload?.image === targetImage(view) && revision === view.workload.updateRevision;
}

/** A tag that is in no release has an objection of its own. */
function differs(running: string | undefined, { nodeTag }: NodePod): boolean {
  return running !== undefined && running !== nodeTag && releaseByNodeTag(nodeTag) !== undefined;
}

function runningText(view: ClusterView, pod: NodePod): string {
  const running = runningTag(view, pod) ?? "";
  const release = releaseByNodeTag(running)?.operator ?? "no release of the catalogue";
  const digest = pod.digest === "" ? "" : ` (${pod.digest})`;
  return `pod ${nameOf(view, pod)} is made from tag "${pod.nodeTag}" and runs "${running}" of ${release}${digest}`;
}

function nameOf({ name }: ClusterView, { ordinal }: NodePod): string {
  return `${name}-${ordinal}`;
}
