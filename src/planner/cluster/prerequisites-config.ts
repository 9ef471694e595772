import type { Finding } from "../../api/parts.ts";
import type { ClusterSpec } from "../../api/cluster-spec.ts";
import { releaseByNodeTag } from "../../releases/find.ts";
import { autoUpgradeContradicts, isAutoUpgrade, targetTag } from "./target.ts";
import type { ClusterView } from "./view.ts";

/** A rule that looks at a cluster and objects, or has nothing to say. */
export type ClusterRule = (view: ClusterView) => Finding | undefined;

/** Rules on what is written in the spec; any objection is InvalidUpgrade until it is corrected (§3, §7). */
export const CONFIG_RULES: readonly ClusterRule[] = [
  autoUpgradeSaysOneThing,
  noDigestWithAutoUpgrade,
  noUserModulesWithAutoUpgrade,
  tagIsKnown,
  tagBelongsToOperator,
  riggerTagBelongsToOperator,
];

function autoUpgradeSaysOneThing({ name, spec }: ClusterView): Finding | undefined {
  if (!autoUpgradeContradicts(spec)) return undefined;
  return block(
    "AutoUpgradeContradiction",
    "spec.autoUpgradeStoreEnterprise and spec.upgradeSpec.autoUpgradeStoreEnterprise are both set and differ",
    `kubectl patch rec ${name} --type merge -p '{"spec":{"upgradeSpec":null}}'`,
  );
}

function noDigestWithAutoUpgrade({ spec }: ClusterView): Finding | undefined {
  const places = digestPlaces(spec);
  if (!isAutoUpgrade(spec) || places.length === 0) return undefined;
  return block(
    "AutoUpgradeDigestConflict",
    `automatic upgrade is on and a digestHash is set in ${places.join(", ")}`,
    "remove every digestHash, or set spec.autoUpgradeStoreEnterprise to false and upgrade by hand",
  );
}

function noUserModulesWithAutoUpgrade({ spec }: ClusterView): Finding | undefined {
  const modules = spec.userDefinedModules ?? [];
  if (!isAutoUpgrade(spec) || modules.length === 0) return undefined;
  return block(
    "AutoUpgradeUserModules",
    `automatic upgrade is on and user-defined modules are listed: ${modules.map(({ name }) => name).join(", ")}`,
    "set spec.autoUpgradeStoreEnterprise to false before the operator is upgraded, then set versionTag by hand",
  );
}

function tagIsKnown(view: ClusterView): Finding | undefined {
  const tag = targetTag(view);
  if (releaseByNodeTag(tag) !== undefined) return undefined;
  return block(
    "UnknownImageTag",
    `spec.storeEnterpriseImageSpec.versionTag is "${tag}", which is in no release; the tag of operator ` +
      `${view.operator.operator} is "${view.operator.nodeTag}"`,
    setTag(view),
  );
}

/** A tag that the cluster already runs is no mismatch: that cluster waits for its upgrade. */
function tagBelongsToOperator(view: ClusterView): Finding | undefined {
  const tag = targetTag(view);
  const release = releaseByNodeTag(tag);
  const runs = view.workload !== undefined && [view.workload, ...view.pods].every(({ imageTag }) => imageTag === tag);
  if (release === undefined || release.operator === view.operator.operator || runs) return undefined;
  return block(
    "ImageTagMismatch",
    `spec.storeEnterpriseImageSpec.versionTag is "${tag}" of operator ${release.operator}; the tag of this operator, ` +
      `${view.operator.operator}, is "${view.operator.nodeTag}"`,
    setTag(view),
  );
}

function riggerTagBelongsToOperator({ name, spec, operator }: ClusterView): Finding | undefined {
  const tag = spec.storeEnterpriseServicesRiggerImageSpec?.versionTag;
  if (tag === undefined || tag === operator.operator) return undefined;
  return block(
    "RiggerTagMismatch",
    `spec.storeEnterpriseServicesRiggerImageSpec.versionTag is "${tag}" and must be "${operator.operator}"`,
    `kubectl patch rec ${name} --type merge -p ` +
      `'{"spec":{"storeEnterpriseServicesRiggerImageSpec":{"versionTag":"${operator.operator}"}}}'`,
  );
}

function digestPlaces(spec: ClusterSpec): readonly string[] {
  const places = [
    ["storeEnterpriseImageSpec", spec.storeEnterpriseImageSpec],
    ["storeEnterpriseServicesRiggerImageSpec", spec.storeEnterpriseServicesRiggerImageSpec],
    ["bootstrapperImageSpec", spec.bootstrapperImageSpec],
    ["usageMeter.callHomeClient.imageSpec", spec.usageMeter?.callHomeClient?.imageSpec],
  ] as const;
  return places.filter(([, image]) => (image?.digestHash ?? "") !== "").map(([place]) => `spec.${place}`);
}

function setTag({ name, operator }: ClusterView): string {
  return (
    `kubectl patch rec ${name} --type merge -p ` +
    `'{"spec":{"storeEnterpriseImageSpec":{"versionTag":"${operator.nodeTag}"}}}'`
  );
}

function block(id: string, evidence: string, remedy: string): Finding {
  return { id, severity: "block", evidence, remedy };
}
