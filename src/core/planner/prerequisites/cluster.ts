import {
  describeObject,
  editObject,
  getObjects,
  patchClusterTag,
  resumeRollout,
  rolloutStatus,
} from "../../api/kubectl.ts";
import { OPERATOR_NAME } from "../../api/names.ts";
import { releaseByNodeTag } from "../../releases/catalogue/find.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import { knownIssues } from "../../releases/catalogue/known-issues.ts";
import { block, warn } from "../findings/finding.ts";
import { tagUnderWay } from "./tag-under-way.ts";
import { pausedText, unreadyOperatorRemedy } from "./unready-operator.ts";
import type { ClusterView } from "../view/cluster-view.ts";
import { runningReleases } from "../view/target.ts";
import { defineCheck } from "./check.ts";

/** An upgrade begins from rest. */
export const clusterIsAtRest = defineCheck({
  id: "ClusterNotAtRest",
  asks: "the cluster is Running, its spec is valid and handled",
  at: ["plan"],
  needs: [],
  find({ view: { name, remembered, generation } }) {
    const { state, specStatus, observedGeneration = 0 } = remembered;
    const look = describeObject(`rec ${name}`);
    if (state !== "Running" && state !== "InvalidUpgrade") {
      return block("ClusterNotAtRest", `STATE is ${state ?? "not reported yet"}`, look);
    }
    if (specStatus === "Invalid") return block("SpecInvalid", "SPEC STATUS is Invalid", look);
    if (observedGeneration >= generation) return undefined;
    return block(
      "SpecNotHandled",
      `generation ${generation} of the spec has not been looked at: the operator is at ${observedGeneration}`,
      getObjects("deployment/store-enterprise-operator"),
    );
  },
});

/** There are never more than two releases: a step that is under way ends before another one begins. */
export const noThirdRelease = defineCheck({
  id: "MixedVersions",
  asks: "no upgrade to another version is under way",
  at: ["start"],
  needs: ["cluster"],
  find({ view, step }) {
    if (step === undefined || !isMixed(view) || isUnderWay(view, step.to)) return undefined;
    const releases = runningReleases(view).map(releaseByNodeTag);
    if (releases.includes(step.to)) return undefined;
    return block(
      "MixedVersions",
      `${versionsOfNodes(view)}: the step to ${step.to.nodeTag} would be a third release`,
      `finish the upgrade that is under way first: ${patchClusterTag(view.name, tagUnderWay(view))}`,
    );
  },
});

/** Two releases at once are an upgrade that has not ended. */
export const upgradeHasEnded = defineCheck({
  id: "UpgradeUnfinished",
  asks: "every node runs the same version",
  at: ["plan"],
  needs: ["cluster"],
  find({ view, step }) {
    if (!isMixed(view) || (step !== undefined && !runningReleases(view).map(releaseByNodeTag).includes(step.to)))
      return undefined;
    return warn(
      "UpgradeUnfinished",
      versionsOfNodes(view),
      `the upgrade continues; watch it: ${rolloutStatus(view.name)}`,
    );
  },
});

/** The upgrade that has begun leads to this release: a node of a third release was made by a wrong image, and is replaced. */
function isUnderWay({ remembered: { upgrade } }: ClusterView, to: Release): boolean {
  return upgrade !== undefined && upgrade.finishedAt === undefined && releaseByNodeTag(upgrade.to) === to;
}

function isMixed(view: ClusterView): boolean {
  return runningReleases(view).length > 1;
}

function versionsOfNodes({ cluster }: ClusterView): string {
  return (cluster.reachable ? cluster.nodes : []).map(({ uid, tag }) => `node ${uid} runs ${tag}`).join(", ");
}

export const operatorIsReady = defineCheck({
  id: "OperatorNotReady",
  asks: "the operator is ready",
  at: ["plan"],
  needs: ["operator"],
  find({ environment: { operator } }) {
    if (operator?.read !== true) return undefined;
    const { image, ready, wanted, paused } = operator.value;
    const said = pausedText(operator.value);
    if (ready > 0 && said !== undefined) {
      const make = paused === "behind" ? block : warn;
      return make("OperatorNotReady", said, resumeRollout(OPERATOR_NAME));
    }
    if (ready > 0) return undefined;
    return block(
      "OperatorNotReady",
      `deployment/store-enterprise-operator (${image}) has ${ready} of ${wanted} ready`,
      unreadyOperatorRemedy(operator.value),
    );
  },
});

/** Reports the issues that other clusters met on the same step. */
export const noKnownIssues = defineCheck({
  id: "KnownIssues",
  asks: "the step has no known issue",
  at: ["plan"],
  needs: [],
  find({ view: { cluster }, step }) {
    const modules = cluster.reachable ? cluster.databases.flatMap((database) => database.modules) : [];
    const issues = step === undefined ? [] : knownIssues(step.from, step.to, modules);
    if (issues.length === 0) return undefined;
    return warn(
      "KnownIssues",
      issues.map(({ id, effect }) => `${id}: ${effect}`).join("; "),
      issues.map(({ workaround }) => workaround).join("; "),
    );
  },
});

/** Reports that the password was changed and the Secret was not. */
export const credentialsAreAccepted = defineCheck({
  id: "CredentialsRefused",
  asks: "the cluster accepts the credentials of its secret",
  at: ["plan"],
  needs: [],
  find({ view: { name, spec, cluster } }) {
    if (cluster.reachable || cluster.cause !== "credentials") return undefined;
    const secret = spec.clusterCredentialSecretName ?? name;
    return block(
      "CredentialsRefused",
      `the management API refuses username and password of secret ${secret}: ${cluster.reason}`,
      editObject(`secret ${secret}`, "username and password as the cluster knows them"),
    );
  },
});
