import { Fault } from "../../../core/base/fault.ts";
import { OPERATOR_NAME } from "../../../core/api/names.ts";
import { STORE_VERSIONS } from "../../../core/api/records.ts";
import { Deployments } from "../../../ports/kube/builtin.ts";
import { applyManifest } from "../../../ports/kube/manifest.ts";
import { Clusters, Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { isAutoUpgrade } from "../../../core/planner/view/target.ts";
import { isOlder } from "../../../core/planner/upgrade-path/state.ts";
import type { PlanStep } from "../../../core/planner/upgrade-path/step.ts";
import { imageTagOf } from "../../../core/releases/catalogue/images.ts";
import { faults } from "../faults.ts";
import { readTextFile } from "../console/files.ts";
import { bundleLikeInstalled } from "../site/installed-operator.ts";
import type { Look } from "../site/look.ts";
import type { Site } from "../site/site.ts";
import { follow, type Performed, type Sight } from "./follow.ts";
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
      return follow(talk, () => databasesSight(look, step.to));
    default:
      return "done";
  }
}

async function bundleText(site: Site, file: string | undefined, version: string): Promise<string> {
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

async function operatorSight({ kube, namespace }: Site, version: string, ownBundle: boolean): Promise<Sight> {
  const deployment = await kube.get(Deployments, { name: OPERATOR_NAME, namespace });
  const image = deployment?.spec?.template.spec?.containers[0]?.image ?? "";
  const { observedGeneration = 0, updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = deployment?.status ?? {};
  const isCurrent = observedGeneration >= (deployment?.metadata.generation ?? 0);
  const isRight = ownBundle || imageTagOf(image) === version;
  const wanted = deployment?.spec?.replicas ?? 1;
  const isDone = isCurrent && isRight && [updatedReplicas, availableReplicas, replicas].every((n) => n === wanted);
  return { done: isDone ? 1 : 0, of: 1, what: `operator ${version} ready`, isOver: isDone, blocking: [] };
}

async function clusterSight({ kube, namespace }: Site, { observation: { view } }: Look, tag: string): Promise<Sight> {
  const rec = await kube.get(Clusters, { name: view.name, namespace });
  if (rec === undefined)
    throw new Fault(faults.noCluster, `namespace ${namespace} has no cluster ${view.name} any more`);
  const gone = rec.metadata.deletionTimestamp;
  if (gone !== undefined) throw new Fault(faults.clusterGoes, `${view.name} is being deleted since ${gone}`);
  const { state, version, findings = [], observedGeneration = 0, upgrade, conditions = [] } = rec.status ?? {};
  const isSeen = observedGeneration >= (rec.metadata.generation ?? 0);
  const isOver = isSeen && state === "Running" && version === tag && upgrade?.finishedAt !== undefined;
  const said = conditions.find(({ type }) => type === "Progressing")?.message ?? "";
  const now = isSeen ? said : "the operator is about to look at it";
  return {
    done: isOver ? view.spec.nodes : upgrade?.to === tag ? upgrade.updatedNodes : 0,
    of: view.spec.nodes,
    what: `nodes at ${tag}${isOver || now === "" ? "" : `: ${now}`}`,
    isOver,
    blocking: isSeen && state === "InvalidUpgrade" ? findings.filter(({ severity }) => severity === "block") : [],
  };
}

async function databasesSight({ observation: { connection } }: Look, to: string): Promise<Sight> {
  const databases = (await connection?.client.call("bdbs")) ?? [];
  const ready = databases.filter((bdb) => !isOlder(bdb.redis_version, to) && bdb.status === "active");
  const waiting = databases.find(({ waiting_for }) => waiting_for !== "");
  return {
    done: ready.length,
    of: databases.length,
    what: `databases at ${to} or later${waiting === undefined ? "" : `: "${waiting.name}" waits, ${waiting.waiting_for}`}`,
    isOver: ready.length === databases.length,
    blocking: [],
  };
}
