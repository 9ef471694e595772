import { OPERATOR_NAME } from "../../core/api/names.ts";
import type { AskedVersion } from "../../core/api/records.ts";
import { Deployments, StatefulSets } from "../../ports/kube/builtin.ts";
import { imagesOf, tagOf } from "../../core/releases/images.ts";
import type { Release } from "../../core/releases/release.ts";
import { CAST, Clusters, Databases, demoCluster, demoDatabase } from "./cast.ts";
import { applyManifest } from "../../ports/kube/manifest.ts";
import type { Progress } from "./progress.ts";
import { fetchBundle, latestReleaseTag, type ReleaseServer } from "./release-server.ts";
import { until, type Watching } from "./until.ts";

/** What the scenes share. */
export interface Stage extends Watching {
  readonly progress: Progress;
  /** Applies a bundle some other way, for instance by kubectl; says what was applied. */
  readonly apply?: (bundle: string) => Promise<readonly string[]>;
}

const REC = { namespace: CAST.namespace, name: CAST.cluster };
const REDB = { namespace: CAST.namespace, name: CAST.database };
const PATIENCE_MS = 180_000;

/** Applies a bundle and waits until its operator runs. */
export async function installOperator(stage: Stage, bundle: string, release: Release): Promise<void> {
  const apply = stage.apply ?? ((text: string) => applyManifest(stage.kube, text, CAST.namespace, "demo"));
  const applied = await apply(bundle);
  stage.progress.say(`applied ${applied.length} objects of release ${release.operator}`);
  await operatorReady(stage, CAST.namespace, release);
  stage.progress.say(`operator ${release.operator} is ready`);
}

/** Waits until the operator of this release, and no other, runs in a namespace. */
export async function operatorReady(watching: Watching, namespace: string, release: Release): Promise<void> {
  const image = imagesOf(release).operator;
  const ref = { namespace, name: OPERATOR_NAME };
  await until(watching, Deployments, ref, {
    what: `operator ${release.operator} in ${namespace} is ready`,
    withinMs: PATIENCE_MS,
    isMet: ({ metadata, spec, status }) =>
      status?.observedGeneration === metadata.generation &&
      status?.updatedReplicas === 1 &&
      status.replicas === 1 &&
      status.availableReplicas === 1 &&
      spec?.template.spec?.containers[0]?.image === image,
  });
}

/** Creates the cluster and waits for STATE Running. */
export async function createCluster(stage: Stage, release: Release): Promise<void> {
  await stage.kube.create(Clusters, demoCluster(release.nodeTag));
  await awaitCluster(stage, release.nodeTag);
  stage.progress.say(`cluster ${CAST.cluster} is Running: 3 nodes at ${release.nodeTag}`);
}

/** Creates the database and waits until it is active. */
export async function createDatabase(stage: Stage, storeVersion: AskedVersion): Promise<void> {
  await stage.kube.create(Databases, demoDatabase(storeVersion));
  const version = await awaitDatabase(stage, storeVersion);
  stage.progress.say(`database ${CAST.database} is active: ${version}, replicated`);
}

/** What the operator and the nodes say that they are. */
export async function runningVersions(stage: Stage): Promise<{ readonly operator: string; readonly cluster: string }> {
  const operator = await stage.kube.get(Deployments, { namespace: CAST.namespace, name: OPERATOR_NAME });
  const cluster = await stage.kube.get(Clusters, REC);
  const nodes = new Set((cluster?.status?.nodes ?? []).map(({ version }) => version));
  return {
    operator: tagOf(operator?.spec?.template.spec?.containers[0]?.image ?? ""),
    cluster: [...nodes].join(", "),
  };
}

/** What the database says that it is, a stand-in named. */
export async function databaseVersion(stage: Stage): Promise<string> {
  return (await stage.kube.get(Databases, REDB))?.status?.version ?? "";
}

/** Stage 1 (§1): the latest release is found and applied as a user does it, and its operator takes over. */
export async function upgradeOperator(stage: Stage, releases: ReleaseServer, latest: Release): Promise<void> {
  const tag = await latestReleaseTag(releases.releasesApiUrl);
  stage.progress.say(`latest release is ${tag}`);
  await installOperator(stage, await fetchBundle(releases.bundleBaseUrl, tag), latest);
  await until(stage, Clusters, REC, {
    what: "management suspended until the cluster is upgraded too",
    withinMs: PATIENCE_MS,
    isMet: ({ status }) => conditionOf(status?.conditions, "ReconcileSuspended")?.status === "True",
  });
  stage.progress.say("it leaves cluster and databases as they are until the cluster is upgraded too");
}

/** Stage 2: the node tag is set and the cluster rolls node by node. */
export async function upgradeCluster(stage: Stage, latest: Release): Promise<void> {
  await stage.kube.patch(Clusters, REC, {
    type: "merge",
    body: { spec: { storeEnterpriseImageSpec: { versionTag: latest.nodeTag } } },
  });
  stage.progress.say(`spec.storeEnterpriseImageSpec.versionTag is now ${latest.nodeTag}`);
  await until(stage, Clusters, REC, {
    what: "STATE Upgrade",
    withinMs: PATIENCE_MS,
    isMet: ({ status }) => status?.state === "Upgrade",
  });
  await awaitCluster(stage, latest.nodeTag);
  const { status } = await until(stage, StatefulSets, REC, {
    what: "the StatefulSet rolled",
    withinMs: PATIENCE_MS,
    isMet: ({ status: now }) => now?.updatedReplicas === 3 && now.readyReplicas === 3,
  });
  stage.progress.say(
    `cluster ${CAST.cluster} is Running, its StatefulSet rolled: ${status?.updatedReplicas ?? 0} of 3`,
  );
}

/** Stage 3: the database gets a newer version. */
export async function upgradeDatabase(stage: Stage, target: AskedVersion): Promise<void> {
  await stage.kube.patch(Databases, REDB, { type: "merge", body: { spec: { storeVersion: target } } });
  stage.progress.say(`spec.storeVersion is now "${target}"`);
  const version = await awaitDatabase(stage, target);
  stage.progress.say(`database ${CAST.database} is active: ${version}`);
}

async function awaitCluster(stage: Stage, nodeTag: string): Promise<void> {
  let told = 0;
  await until(stage, Clusters, REC, {
    what: `STATE Running at ${nodeTag}`,
    withinMs: PATIENCE_MS,
    isMet: ({ metadata, status }) =>
      status?.state === "Running" &&
      status.observedGeneration === metadata.generation &&
      (status.nodes ?? []).length === 3 &&
      (status.nodes ?? []).every((node) => node.version === nodeTag && node.status === "active"),
    onChange: ({ status }) => {
      const doing = conditionOf(status?.conditions, "Progressing")?.message ?? "";
      const { to, updatedNodes = 0 } = status?.upgrade ?? {};
      if (to === nodeTag && updatedNodes > told) {
        told = updatedNodes;
        stage.progress.say(`${status?.state ?? ""}  ${updatedNodes} of 3 nodes run ${nodeTag}`);
      }
      stage.progress.now(`${status?.state ?? "PendingCreation"}  ${doing}`.trim());
    },
  });
}

async function awaitDatabase(stage: Stage, version: AskedVersion): Promise<string> {
  const { status } = await until(stage, Databases, REDB, {
    what: `database active at ${version}`,
    withinMs: PATIENCE_MS,
    isMet: ({ metadata, status: now }) =>
      now?.status === "active" &&
      now.observedGeneration === metadata.generation &&
      (now.version ?? "").startsWith(version),
    onChange: ({ metadata, status: now }) => {
      const isOld = now?.status === "active" && now.observedGeneration !== metadata.generation;
      if (isOld) return; // the edit has not been seen yet
      const doing = conditionOf(now?.conditions, "Ready")?.message ?? "";
      stage.progress.now(`${now?.status ?? "pending"}  ${doing}`.trim());
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
