import { STORE_VERSIONS } from "../../../core/api/records.ts";
import { applyManifest } from "#kit/kube/manifest";
import { Clusters, Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { isAutoUpgrade } from "../../../core/planner/view/target.ts";
import { isOlder } from "../../../core/planner/upgrade-path/state.ts";
import type { PlanStep } from "../../../core/planner/upgrade-path/step.ts";
import { readTextFile } from "../console/files.ts";
import { bundleLikeInstalled } from "../access/installed-operator.ts";
import type { Look } from "../access/look.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import { follow, type Performed } from "./follow.ts";
import { clusterSight, databasesSight, operatorSight } from "./sights.ts";
import type { Talk, UpgradeOptions } from "./talk.ts";

/** Asks for one step and follows it to its end. The request stays when the command ends. */
export async function performStep(
  access: NamespaceAccess,
  look: Look,
  step: PlanStep,
  { bundle }: UpgradeOptions,
  talk: Talk,
): Promise<Performed> {
  switch (step.stage) {
    case "operator":
      await applyManifest(access.kube, await bundleText(access, bundle, step.to), access.namespace, "storectl");
      return follow(talk, () => operatorSight(access, step.to, bundle !== undefined));
    case "cluster":
      if (!isAutoUpgrade(look.observation.view.spec)) await setTag(access, look, step.to);
      return follow(talk, () => clusterSight(access, look, step.to));
    case "databases":
      await raiseDatabases(access, look, step.to);
      return follow(talk, () => databasesSight(access, look, step.to));
    default:
      return "done";
  }
}

/** The bundle that a step of the operator applies. */
export async function bundleText(access: NamespaceAccess, file: string | undefined, version: string): Promise<string> {
  return file === undefined ? bundleLikeInstalled(access, version) : readTextFile(file);
}

async function setTag(
  { kube, namespace }: NamespaceAccess,
  { observation: { view } }: Look,
  versionTag: string,
): Promise<void> {
  const body = { spec: { storeEnterpriseImageSpec: { versionTag } } };
  await kube.patch(Clusters, { name: view.name, namespace }, { type: "merge", body });
}

/** An object says what its database becomes; a database without one is asked itself (§7). */
async function raiseDatabases(
  { kube, namespace }: NamespaceAccess,
  { observation, databases }: Look,
  to: string,
): Promise<void> {
  const { view, connection } = observation;
  const client = connection?.client;
  const storeVersion = STORE_VERSIONS.find((version) => version === to);
  const old = view.cluster.reachable ? view.cluster.databases.filter((one) => isOlder(one.storeVersion, to)) : [];
  const isSuspended = (view.remembered.conditions ?? []).some(
    ({ type, status }) => type === "ReconcileSuspended" && status === "True",
  );
  for (const { name, uid } of old) {
    const hasObject = databases.some(({ metadata }) => metadata.name === name);
    if (hasObject)
      await kube.patch(Databases, { name, namespace }, { type: "merge", body: { spec: { storeVersion } } });
    if (!hasObject || isSuspended) await client?.call("upgradeBdb", { params: { uid }, body: { store_version: to } });
  }
}
