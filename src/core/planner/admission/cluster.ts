import { patchCluster } from "../../api/kubectl.ts";
import { autoUpgradeContradicts } from "../view/target.ts";
import { imagesAreNamed, keysAreOfUsers, labelsAreValid, resourcesAreConsistent } from "./cluster-parts.ts";
import { modulesAreDistinct, modulesHaveOneSource, modulesHaveUrls } from "./cluster-modules.ts";
import { volumesAreUnchanged, volumeSizeIsValid, volumesMayGrow } from "./cluster-volumes.ts";
import { accountIsTheirs, clusterNamesAreFree, secretsAreForClusters } from "./cluster-names.ts";
import { serviceNameObjections } from "./names.ts";
import { forbiddenValue, invalidValue, type Advice, type Objection, type SpecRule } from "./objection.ts";
import type { ReviewedCluster } from "./reviewed-cluster.ts";
import { isNodeNumber, rightNodeNumber } from "../view/node-number.ts";

/** A rule under a stable name, with what holds when it is kept, in a few words. */
export interface ClusterRule {
  readonly id: string;
  readonly asks: string;
  readonly rule: SpecRule<ReviewedCluster>;
}

/** What every caller asks of a cluster: a spec that breaks one of these cannot be used. */
export const CLUSTER_RULES = [
  { id: "NodeNumber", asks: "the number of nodes is odd, at least 3 and never lowered", rule: nodeNumberIsValid },
  { id: "ClusterName", asks: "objects can be named after the cluster", rule: nameIsUsable },
  { id: "LicensePlace", asks: "the licence is named in one place", rule: licenseHasOnePlace },
  { id: "ModulesDistinct", asks: "each user-defined module is listed once", rule: modulesAreDistinct },
  { id: "ModuleSource", asks: "each user-defined module has one source", rule: modulesHaveOneSource },
  { id: "ModuleUrl", asks: "the sources of user-defined modules are URLs", rule: modulesHaveUrls },
  { id: "ImageNames", asks: "images have a repository and a tag", rule: imagesAreNamed },
  { id: "Resources", asks: "resources are quantities, and no request exceeds its limit", rule: resourcesAreConsistent },
  { id: "VolumeSize", asks: "the size of the volumes is a quantity", rule: volumeSizeIsValid },
  { id: "LabelForm", asks: "labels and annotations have the form that Kubernetes accepts", rule: labelsAreValid },
  { id: "LabelOfProduct", asks: "no label or annotation marks what the product owns", rule: keysAreOfUsers },
] as const satisfies readonly ClusterRule[];

/** What is asked of what a cluster takes of the namespace: when a spec is written, and by the operator in each pass. */
export const CLUSTER_NAME_RULES: readonly SpecRule<ReviewedCluster>[] = [
  clusterNamesAreFree,
  accountIsTheirs,
  secretsAreForClusters,
];

/** The rules when a spec is written. A spec that makes a cluster InvalidUpgrade (§3) is let in, so that users see that there. */
export const CLUSTER_ADMISSION_RULES: readonly SpecRule<ReviewedCluster>[] = [
  ...CLUSTER_RULES.map(({ rule }) => rule),
  ...CLUSTER_NAME_RULES,
  autoUpgradeIsConsistent,
  acceptedVersionRuns,
  volumesAreUnchanged,
  volumesMayGrow,
];

/** Advice on specs that are let in and do less than a user may expect. */
export const CLUSTER_ADVICE: readonly Advice<ReviewedCluster>[] = [nameIsLong, usernameIsIgnored];

/** One objection at most, whose remedy satisfies all that is asked of the number. */
function nodeNumberIsValid({ name, spec: { nodes }, nodes: has }: ReviewedCluster): readonly Objection[] {
  const objection = (why: string): readonly Objection[] => {
    const remedy = patchCluster(name, { nodes: rightNodeNumber(nodes, has) });
    return [invalidValue("spec.nodes", nodes, `spec.nodes is ${nodes}${why}`, remedy)];
  };
  if (nodes < has) return objection(` and the cluster has ${has}: nodes are not removed`);
  if (isNodeNumber(nodes)) return [];
  return objection(nodes < 3 ? ": at least 3 are needed to lose one" : ": an even number of nodes has no majority");
}

/** The name of its authority, `<name> certificate authority`, has 64 characters at most. */
function nameIsUsable({ name }: ReviewedCluster): readonly Objection[] {
  return serviceNameObjections(name, 42, "the names of its Services and certificates");
}

/** `license` and `licenseSecretName` are two ways to say one thing. */
function licenseHasOnePlace({ name, spec: { license, licenseSecretName } }: ReviewedCluster): readonly Objection[] {
  if ((license ?? "") === "" || licenseSecretName === undefined) return [];
  const why = `it and spec.licenseSecretName ("${licenseSecretName}") are both set`;
  const remedy = `leave it out: ${patchCluster(name, { license: null })}`;
  return [forbiddenValue("spec.license", why, remedy)];
}

function autoUpgradeIsConsistent({ name, spec }: ReviewedCluster): readonly Objection[] {
  if (!autoUpgradeContradicts(spec)) return [];
  const why = "it and spec.upgradeSpec.autoUpgradeStoreEnterprise are two names of one switch, both set, and differ";
  const remedy = `leave the second one out: ${patchCluster(name, { upgradeSpec: { autoUpgradeStoreEnterprise: null } })}`;
  return [forbiddenValue("spec.autoUpgradeStoreEnterprise", why, remedy, "AutoUpgradeContradiction")];
}

/** Consent is given to what is there, by its exact name. */
function acceptedVersionRuns({ name, spec, before, tags }: ReviewedCluster): readonly Objection[] {
  const accepted = spec.upgradeSpec?.acceptUnknownVersion;
  if (accepted === undefined || accepted === before?.upgradeSpec?.acceptUnknownVersion) return [];
  if (tags.length === 0 || tags.includes(accepted)) return [];
  const runs = tags.map((tag) => `"${tag}"`).join(" and ");
  const remedy = patchCluster(name, { upgradeSpec: { acceptUnknownVersion: tags[0] } });
  const field = "spec.upgradeSpec.acceptUnknownVersion";
  return [forbiddenValue(field, `it is "${accepted}", and the nodes run ${runs}`, remedy, "UnknownRunningVersion")];
}

function nameIsLong({ name, before }: ReviewedCluster): readonly string[] {
  if (before !== undefined || name.length <= 20) return [];
  return [
    `metadata.name: host names of routes are made from it and its namespace; with ${name.length} characters they may be too long`,
  ];
}

function usernameIsIgnored({ spec, before }: ReviewedCluster): readonly string[] {
  if (before === undefined || before.username === spec.username) return [];
  return ["spec.username: it is read when the credentials are made; change the Secret of the cluster instead"];
}
