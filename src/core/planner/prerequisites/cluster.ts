import { describeObject, editObject, getObjects, rolloutStatus } from "../../api/kubectl.ts";
import { knownIssues } from "../../releases/catalogue/known-issues.ts";
import { block, warn } from "../findings/finding.ts";
import type { Check } from "./check.ts";

/** An upgrade begins from rest. */
export const clusterIsAtRest: Check = {
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
};

/** Two releases at once are an upgrade that has not ended. */
export const nodesRunOneVersion: Check = {
  id: "MixedVersions",
  asks: "every node runs the same version",
  at: ["plan"],
  needs: ["cluster"],
  find({ view: { name, cluster }, step }) {
    const nodes = cluster.reachable ? cluster.nodes : [];
    const tags = [...new Set(nodes.map(({ tag }) => tag))];
    if (tags.length < 2) return undefined;
    const evidence = nodes.map(({ uid, tag }) => `node ${uid} runs ${tag}`).join(", ");
    const newest = step?.to.nodeTag ?? "";
    return tags.includes(newest)
      ? warn("UpgradeUnfinished", evidence, `the upgrade continues; watch it: ${rolloutStatus(name)}`)
      : block("MixedVersions", evidence, `finish the upgrade that is under way first: storectl why rec ${name}`);
  },
};

export const operatorIsReady: Check = {
  id: "OperatorNotReady",
  asks: "the operator is ready",
  at: ["plan"],
  needs: ["operator"],
  find({ environment: { operator } }) {
    if (operator?.read !== true || operator.value.ready > 0) return undefined;
    const { image, ready, wanted } = operator.value;
    return block(
      "OperatorNotReady",
      `deployment/store-enterprise-operator (${image}) has ${ready} of ${wanted} ready`,
      describeObject("deployment/store-enterprise-operator"),
    );
  },
};

/** Product facts §7: what others met on the same step. */
export const noKnownIssues: Check = {
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
};

/** Case 31: the password was changed and the secret was not. */
export const credentialsAreAccepted: Check = {
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
};
