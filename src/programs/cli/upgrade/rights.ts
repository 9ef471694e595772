import { clusterNames, OPERATOR_NAME } from "../../../core/api/names.ts";
import { isAutoUpgrade } from "../../../core/planner/view/target.ts";
import type { PlanStep } from "../../../core/planner/upgrade-path/step.ts";
import type { Access } from "../../../core/releases/permissions/person-grants.ts";
import { readClusterSpec } from "../../../mechanisms/observe/cluster.ts";
import { lookRights, ownRight, type LookedAt } from "../access/look-rights.ts";
import { missingForManifest } from "../access/manifest-rights.ts";
import type { Look } from "../access/look.ts";
import { missingRights, refuseMissing } from "../access/rights.ts";
import { chosenCluster, type NamespaceAccess } from "../access/namespace-access.ts";
import { bundleText } from "./perform.ts";
import type { UpgradeOptions } from "./talk.ts";

/** Requires the rights without which no plan can be made or followed: CLI_PERMISSIONS_MISSING before anything is looked at. */
export async function requireLook(access: NamespaceAccess, options: UpgradeOptions): Promise<void> {
  const rec = await chosenCluster(access, options.cluster);
  const { name } = rec.metadata;
  const { namespace } = access;
  const spec = readClusterSpec(rec);
  const credentials = typeof spec === "string" ? undefined : spec.clusterCredentialSecretName;
  const lookedAt: LookedAt = { name, namespace, credentials: credentials ?? clusterNames.credentialsSecret(name) };
  const missing = await missingRights(access.kube, lookRights(lookedAt));
  if (missing.length === 0) return;
  // what every plan takes is named with it, so that permissions are asked for once
  const writes = [ownRight("patch", "cluster", name, namespace), ownRight("patch", "database", undefined, namespace)];
  await refuseMissing(access, [...missing, ...(await missingRights(access.kube, writes))], name);
}

/** CLI_PERMISSIONS_MISSING, before the first step, with all that the caller lacks for the steps that the command performs. */
export async function requireSteps(
  access: NamespaceAccess,
  look: Look,
  steps: readonly PlanStep[],
  options: UpgradeOptions,
): Promise<void> {
  const byHand = steps.findIndex(({ stage }) => stage === "modules" || stage === "kubernetes");
  const own = byHand < 0 ? steps : steps.slice(0, byHand);
  const wanted = await missingRights(
    access.kube,
    own.flatMap((step) => rightsOf(step, look, access.namespace)),
  );
  const bundles = await Promise.all(
    own
      .filter(({ stage }) => stage === "operator")
      .map(async ({ to }) => missingForManifest(access, await bundleText(access, options.bundle, to))),
  );
  await refuseMissing(access, [...bundles.flat(), ...wanted], look.observation.view.name);
}

function rightsOf({ stage }: PlanStep, { observation: { view }, databases }: Look, namespace: string): Access[] {
  switch (stage) {
    case "operator":
      return [{ verb: "get", group: "apps", resource: "deployments", name: OPERATOR_NAME, namespace }];
    case "cluster":
      return isAutoUpgrade(view.spec) ? [] : [ownRight("patch", "cluster", view.name, namespace)];
    case "databases":
      return databases.map(({ metadata }) => ownRight("patch", "database", metadata.name, namespace));
    default:
      return [];
  }
}
