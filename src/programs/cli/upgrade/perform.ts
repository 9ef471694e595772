import { STORE_VERSIONS } from "../../../core/api/records.ts";
import { applyManifest } from "#kit/kube/manifest";
import { Clusters, Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { isAutoUpgrade } from "../../../core/planner/view/target.ts";
import { isOlder } from "../../../core/planner/upgrade-path/state.ts";
import type { PlanStep } from "../../../core/planner/upgrade-path/step.ts";
import { readTextFile } from "../console/files.ts";
import { bundleLikeInstalled } from "../access/installed-operator.ts";
import type { Look } from "../access/look.ts";
import type { Site } from "../access/namespace-access.ts";
import { follow, type Performed } from "./follow.ts";
import { clusterSight, databasesSight, operatorSight } from "./sights.ts";
import type { Talk, UpgradeOptions } from "./talk.ts";

/** Asks for one step and follows it to its end. The request stays when the command ends. */
export async function performStep(
  site: Site,
  look: Look,
  step: PlanStep,
  { bundle }: UpgradeOptions,
  talk: Talk,
): Promise<Performed> {
  switch (step.stage) {
    case "operator":
      await applyManifest(site.kube, await bundleText(site, bundle, step.to), site.namespace, "storectl");
      return follow(talk, () => operatorSight(site, step.to, bundle !== undefined));
    case "cluster":
      if (!isAutoUpgrade(look.observation.view.spec)) await setTag(site, look, step.to);
      return follow(talk, () => clusterSight(site, look, step.to));
    case "databases":
      await raiseDatabases(site, look, step.to);
      return follow(talk, () => databasesSight(site, look, step.to));
    default:
      return "done";
  }
}

/** The bundle that a step of the operator applies. */
export async function bundleText(site: Site, file: string | undefined, version: string): Promise<string> {
  return file === undefined ? bundleLikeInstalled(site, version) : readTextFile(file);
}

async function setTag({ kube, namespace }: Site, { observation: { view } }: Look, versionTag: string): Promise<void> {
  const body = { spec: { storeEnterpriseImageSpec: { versionTag } } };
  await kube.patch(Clusters, { name: view.name, namespace }, { type: "merge", body });
}

/** An object says what its database becomes; a database without one is asked itself (§7). */
async function raiseDatabases({ kube, namespace }: Site, { observation, databases }: Look, to: string): Promise<void> {
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
