import { OPERATOR_NAME } from "../../../core/api/names.ts";
import type { AskedVersion } from "../../../core/api/records.ts";
import { Deployments, StatefulSets } from "#kit/kube/builtin";
import { imagesOf, imageTagOf } from "../../../core/releases/catalogue/images.ts";
import type { Release } from "../../../core/releases/catalogue/release.ts";
import { Clusters, Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { DEMO, demoCluster, demoDatabase } from "./objects.ts";
import { applyManifest } from "#kit/kube/manifest";
import type { Progress } from "../report/progress.ts";
import { fetchReleaseBundle, latestReleaseTag, type ReleaseServer } from "./release-server.ts";
import { waitForObject, type WaitContext } from "./wait.ts";

/** What the steps of the scenario share. */
export interface ScenarioContext extends WaitContext {
  readonly progress: Progress;
  /** Applies a bundle in another way, for instance with kubectl; gives what was applied. */
  readonly apply?: (bundle: string) => Promise<readonly string[]>;
}

const REC = { namespace: DEMO.namespace, name: DEMO.cluster };
const REDB = { namespace: DEMO.namespace, name: DEMO.database };
const LIMIT_MS = 180_000;

/** Applies a bundle and waits until its operator runs. */
export async function installOperator(context: ScenarioContext, bundle: string, release: Release): Promise<void> {
  const apply = context.apply ?? ((text: string) => applyManifest(context.kube, text, DEMO.namespace, "demo"));
  const applied = await apply(bundle);
  context.progress.report(`applied ${applied.length} objects of release ${release.operator}`);
  await waitForOperator(context, DEMO.namespace, release);
  context.progress.report(`operator ${release.operator} is ready`);
}

/** Waits until the operator of this release, and no other, runs in a namespace. */
export async function waitForOperator(wait: WaitContext, namespace: string, release: Release): Promise<void> {
  const image = imagesOf(release).operator;
  const ref = { namespace, name: OPERATOR_NAME };
  await waitForObject(wait, Deployments, ref, {
    what: `operator ${release.operator} in ${namespace} is ready`,
    withinMs: LIMIT_MS,
    isMet: ({ metadata, spec, status }) =>
      status?.observedGeneration === metadata.generation &&
      status?.updatedReplicas === 1 &&
      status.replicas === 1 &&
      status.availableReplicas === 1 &&
      spec?.template.spec?.containers[0]?.image === image,
  });
}

/** Creates the cluster and waits for STATE Running. */
export async function createCluster(context: ScenarioContext, release: Release): Promise<void> {
  await context.kube.create(Clusters, demoCluster(release.nodeTag));
  await awaitCluster(context, release.nodeTag);
  context.progress.report(`cluster ${DEMO.cluster} is Running: 3 nodes of version ${release.nodeTag}`);
}

/** Creates the database and waits until it is active. */
export async function createDatabase(context: ScenarioContext, storeVersion: AskedVersion, shards = 1): Promise<void> {
  await context.kube.create(Databases, demoDatabase(storeVersion, shards));
  const version = await awaitDatabase(context, storeVersion);
  context.progress.report(`database ${DEMO.database} is active: version ${version}, one primary and one replica`);
}

/** The versions that the operator and the nodes report. */
export async function runningVersions(
  context: ScenarioContext,
): Promise<{ readonly operator: string; readonly cluster: string }> {
  const operator = await context.kube.get(Deployments, { namespace: DEMO.namespace, name: OPERATOR_NAME });
  const cluster = await context.kube.get(Clusters, REC);
  const nodes = new Set((cluster?.status?.nodes ?? []).map(({ version }) => version));
  return {
    operator: imageTagOf(operator?.spec?.template.spec?.containers[0]?.image ?? ""),
    cluster: [...nodes].join(", "),
  };
}

/** The version that the database reports, with the engine that serves it. */
export async function databaseVersion(context: ScenarioContext): Promise<string> {
  return (await context.kube.get(Databases, REDB))?.status?.version ?? "";
}

/** Stage 1 (§1): finds the latest release and applies its bundle as a user does; its operator takes over. */
export async function upgradeOperator(
  context: ScenarioContext,
  releases: ReleaseServer,
  latest: Release,
): Promise<void> {
  const tag = await latestReleaseTag(releases.releasesApiUrl);
  context.progress.report(`latest release is ${tag}`);
  await installOperator(context, await fetchReleaseBundle(releases.bundleBaseUrl, tag), latest);
  await waitForObject(context, Clusters, REC, {
    what: "condition ReconcileSuspended is True",
    withinMs: LIMIT_MS,
    isMet: ({ status }) => conditionOf(status?.conditions, "ReconcileSuspended")?.status === "True",
  });
  context.progress.report(
    "the new operator changes no cluster and no database until the cluster is upgraded too (ReconcileSuspended)",
  );
}

/** Stage 2: the node tag is set and the cluster rolls node by node. */
export async function upgradeCluster(context: ScenarioContext, latest: Release): Promise<void> {
  await context.kube.patch(Clusters, REC, {
    type: "merge",
    body: { spec: { storeEnterpriseImageSpec: { versionTag: latest.nodeTag } } },
  });
  context.progress.report(`set spec.storeEnterpriseImageSpec.versionTag of the cluster to ${latest.nodeTag}`);
  await waitForObject(context, Clusters, REC, {
    what: "STATE Upgrade",
    withinMs: LIMIT_MS,
    isMet: ({ status }) => status?.state === "Upgrade",
  });
  await awaitCluster(context, latest.nodeTag);
  const { status } = await waitForObject(context, StatefulSets, REC, {
    what: "all pods of the StatefulSet are updated and ready",
    withinMs: LIMIT_MS,
    isMet: ({ status: now }) => now?.updatedReplicas === 3 && now.readyReplicas === 3,
  });
  context.progress.report(`cluster ${DEMO.cluster} is Running: ${status?.updatedReplicas ?? 0} of 3 pods are updated`);
}

/** Stage 3: the database gets a newer version. */
export async function upgradeDatabase(context: ScenarioContext, target: AskedVersion): Promise<void> {
  await context.kube.patch(Databases, REDB, { type: "merge", body: { spec: { storeVersion: target } } });
  context.progress.report(`set spec.storeVersion of the database to "${target}"`);
  const version = await awaitDatabase(context, target);
  context.progress.report(`database ${DEMO.database} is active: version ${version}`);
}

/** How many shards the database has, by its status. */
export async function numberOfShards(context: ScenarioContext): Promise<number> {
  return (await context.kube.get(Databases, REDB))?.status?.shards?.length ?? 0;
}

/** Gives the database another number of shards, and waits until it serves by those alone. */
export async function reshapeDatabase(context: ScenarioContext, shardCount: number): Promise<void> {
  await context.kube.patch(Databases, REDB, { type: "merge", body: { spec: { shardCount } } });
  context.progress.report(`set spec.shardCount of the database to ${shardCount}`);
  const { status } = await waitForObject(context, Databases, REDB, {
    what: `database active with ${shardCount} shards`,
    withinMs: LIMIT_MS,
    isMet: ({ metadata, status: now }) =>
      now?.status === "active" &&
      now.observedGeneration === metadata.generation &&
      now.shards?.length === shardCount &&
      conditionOf(now.conditions, "Ready")?.status === "True",
    onChange: ({ status: now }) => {
      context.progress.update(`${now?.status ?? ""}  ${conditionOf(now?.conditions, "Ready")?.message ?? ""}`.trim());
    },
  });
  const slots = (status?.shards ?? []).map((shard) => shard.slots);
  context.progress.report(`database ${DEMO.database} has ${shardCount} shards: slots ${slots.join(" and ")}`);
}

async function awaitCluster(context: ScenarioContext, nodeTag: string): Promise<void> {
  let reported = 0;
  await waitForObject(context, Clusters, REC, {
    what: `STATE Running at ${nodeTag}`,
    withinMs: LIMIT_MS,
    isMet: ({ metadata, status }) =>
      status?.state === "Running" &&
      status.observedGeneration === metadata.generation &&
      (status.nodes ?? []).length === 3 &&
      (status.nodes ?? []).every((node) => node.version === nodeTag && node.status === "active"),
    onChange: ({ status }) => {
      const doing = conditionOf(status?.conditions, "Progressing")?.message ?? "";
      const { to, updatedNodes = 0 } = status?.upgrade ?? {};
      if (to === nodeTag && updatedNodes > reported) {
        reported = updatedNodes;
        context.progress.report(`${status?.state ?? ""}  ${updatedNodes} of 3 nodes run ${nodeTag}`);
      }
      context.progress.update(`${status?.state ?? "PendingCreation"}  ${doing}`.trim());
    },
  });
}

async function awaitDatabase(context: ScenarioContext, version: AskedVersion): Promise<string> {
  const { status } = await waitForObject(context, Databases, REDB, {
    what: `database active at ${version}`,
    withinMs: LIMIT_MS,
    isMet: ({ metadata, status: now }) =>
      now?.status === "active" &&
      now.observedGeneration === metadata.generation &&
      (now.version ?? "").startsWith(version),
    onChange: ({ metadata, status: now }) => {
      const isOld = now?.status === "active" && now.observedGeneration !== metadata.generation;
      if (isOld) return; // the operator has not seen the edit yet
      const doing = conditionOf(now?.conditions, "Ready")?.message ?? "";
      context.progress.update(`${now?.status ?? "pending"}  ${doing}`.trim());
    },
  });
  return status?.version ?? "";
}

function conditionOf<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}
