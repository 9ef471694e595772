import { applyBundle, patchCluster, patchClusterTag } from "../../api/kubectl.ts";
import { releaseByNodeTag } from "../../releases/catalogue/find.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import { isNewestOfNodes, newerRelease, targetTag } from "../view/target.ts";
import type { ClusterView } from "../view/cluster-view.ts";
import { block } from "../findings/finding.ts";
import { defineCheck } from "./check.ts";

export const tagIsKnown = defineCheck({
  id: "UnknownImageTag",
  asks: "the node tag is in the catalogue",
  at: ["edit"],
  needs: [],
  find({ view }) {
    const tag = targetTag(view);
    if (releaseByNodeTag(tag) !== undefined) return undefined;
    return block(
      "UnknownImageTag",
      `spec.storeEnterpriseImageSpec.versionTag is "${tag}", which is in no release; the tag of operator ` +
        `${view.release.operator} is "${view.release.nodeTag}"`,
      setTag(view),
    );
  },
});

/** A tag that nodes run is no mismatch: that cluster waits for its upgrade, or a step that is under way is finished. */
export const tagBelongsToOperator = defineCheck({
  id: "ImageTagMismatch",
  asks: "the node tag belongs to the operator's release",
  at: ["edit"],
  needs: [],
  find({ view }) {
    const tag = targetTag(view);
    const release = releaseByNodeTag(tag);
    if (release === undefined || release.operator === view.release.operator || isAsked(view, release)) return undefined;
    return block(
      "ImageTagMismatch",
      `spec.storeEnterpriseImageSpec.versionTag is "${tag}" of operator ${release.operator}; the tag of this operator, ` +
        `${view.release.operator}, is "${view.release.nodeTag}"`,
      setTag(view),
    );
  },
});

function isAsked(view: ClusterView, release: Release): boolean {
  return view.workload !== undefined && isNewestOfNodes(view, release);
}

/** An older bundle was applied over a newer one; its definitions and its operator do not know what the cluster is. */
export const operatorIsNotOlder = defineCheck({
  id: "OperatorDowngraded",
  asks: "the operator is as new as the cluster",
  at: ["edit"],
  needs: [],
  find({ view }) {
    const newer = newerRelease(view);
    if (newer === undefined) return undefined;
    return block(
      "OperatorDowngraded",
      `the operator is ${view.release.operator}, older than the cluster: nodes run ${newer.nodeTag} of operator ${newer.operator}`,
      `apply the bundle of release ${newer.operator} again: ${applyBundle()}`,
    );
  },
});

export const riggerTagBelongsToOperator = defineCheck({
  id: "RiggerTagMismatch",
  asks: "the services rigger's tag is the operator's version",
  at: ["edit"],
  needs: [],
  find({ view: { name, spec, release } }) {
    const tag = spec.storeEnterpriseServicesRiggerImageSpec?.versionTag;
    if (tag === undefined || tag === release.operator) return undefined;
    return block(
      "RiggerTagMismatch",
      `spec.storeEnterpriseServicesRiggerImageSpec.versionTag is "${tag}" and must be "${release.operator}"`,
      patchCluster(name, { storeEnterpriseServicesRiggerImageSpec: { versionTag: release.operator } }),
    );
  },
});

function setTag({ name, release }: ClusterView): string {
  return patchClusterTag(name, release.nodeTag);
}
