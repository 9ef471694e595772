import type { Pod } from "kubernetes-types/core/v1.js";
import { clusterSpec, type ClusterSpec } from "../../core/api/cluster-spec.ts";
import type { StoreEnterpriseCluster } from "../../core/api/kinds.ts";
import { clusterNames, podSelector } from "../../core/api/names.ts";
import { isTrue } from "#kit/kube/conditions";
import type { Kube, Stored } from "#kit/kube/kube";
import { isVersionAsked, versionChange } from "../../core/planner/view/target.ts";
import { abovePods } from "../../core/planner/cluster/partition.ts";
import type { ClusterView, NodePod, Workload } from "../../core/planner/view/cluster-view.ts";
import { volumeGrowth } from "../../core/planner/view/volume-growth.ts";
import type { Reading, ClusterEnvironment, WebhookFacts } from "../../core/planner/prerequisites/environment.ts";
import type { Platform } from "../../core/releases/permissions/permission.ts";
import type { MissingPermission } from "../../core/releases/permissions/roles.ts";
import type { Release } from "../../core/releases/catalogue/release.ts";
import type { VersionModules } from "../../core/releases/engines/bundled-module.ts";
import { factsOf } from "./management/cluster-records.ts";
import type { ClusterConnection, Connections } from "./management/connections.ts";
import type { Distribution } from "../../core/releases/catalogue/distribution.ts";
import type { PollResult } from "./management/polled-state.ts";
import type { Permissions } from "./permissions/permissions.ts";
import { readDatabasesLeft } from "./kubernetes/databases-left.ts";
import { accountOf, type FindAccount } from "./kubernetes/former-account.ts";
import { lostWorkload, namesakeOf, nodePodOf, workloadOf } from "./kubernetes/workload.ts";
import type { ClusterReads, ClusterRef } from "./kubernetes/cluster-reads.ts";

export interface ObserveDeps {
  readonly kube: Kube;
  readonly connections: Connections;
  readonly permissions: Permissions;
  readonly release: Release;
  /** Base system of the image of the operator that observes; absent from other programs, which take what the operator reported. */
  readonly baseSystem?: string | undefined;
  /** What the engines of that image bring; the same. */
  readonly ownModules?: Promise<readonly VersionModules[]> | undefined;
  /** Plain Kubernetes when absent. */
  readonly platform?: Platform;
  /** Distribution and minor of the API server. */
  readonly kubernetesVersion: () => Promise<Distribution | undefined>;
  /** The admission webhook as it was last seen; absent for a caller that does not manage it. */
  readonly webhook?: () => Promise<Reading<WebhookFacts> | undefined>;
  /** When a ServiceAccount of the product was made; absent for a caller that does not watch accounts. */
  readonly accountMadeAt?: FindAccount;
}

/** A cluster as it is at this moment. */
export interface ClusterObservation {
  readonly rec: Stored<StoreEnterpriseCluster>;
  readonly namespace: string;
  readonly view: ClusterView;
  readonly environment: ClusterEnvironment;
  readonly records: PollResult;
  /** Absent while the cluster's secrets are not there. */
  readonly connection: ClusterConnection | undefined;
}

/** The spec with every default filled in; a sentence that names the field when it is not one. */
export function readClusterSpec(rec: Stored<StoreEnterpriseCluster>): ClusterSpec | string {
  const parsed = clusterSpec.safeParse(rec.spec);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return `spec.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not acceptable"}`;
}

/**
 * Gathers everything that a decision about a cluster needs; what the cluster says may be `maxAgeMs` old. A cluster that
 * does not answer is a fact, not a failure.
 */
export async function observeCluster(
  deps: ObserveDeps,
  reads: ClusterReads,
  rec: Stored<StoreEnterpriseCluster>,
  spec: ClusterSpec,
  maxAgeMs: number,
): Promise<ClusterObservation> {
  const { name, namespace = "default" } = rec.metadata;
  const cluster = { name, namespace };
  const [pods, distribution] = await Promise.all([reads.nodePods(cluster), deps.kubernetesVersion()]);
  const connection = await connectionTo(deps.connections, cluster, spec, pods);
  const records = typeof connection === "string" ? { unreachable: connection } : await connection.records(maxAgeMs);
  const nodePods = pods.map((pod) => ({ ...nodePodOf(pod), ...accountOf(pod, deps.accountMadeAt) }));
  const { workload, ...volumes } = await observeWorkload(reads, cluster, rec, spec, nodePods);
  const deleting = rec.metadata.deletionTimestamp !== undefined;
  const view: ClusterView = {
    name,
    spec,
    generation: rec.metadata.generation ?? 0,
    deleting,
    remembered: rec.status ?? {},
    release: deps.release,
    ...(await ownImage(deps, rec)),
    kubernetesMinor: distribution?.minor,
    isOpenShift: distribution?.isOpenShift === true,
    workload,
    pods: nodePods,
    ...(await readNamesakes(reads, cluster, workload, nodePods)),
    cluster: factsOf(records),
    databasesLeft: deleting ? await readDatabasesLeft(deps.kube, cluster, workload !== undefined) : [],
  };
  return {
    rec,
    namespace,
    records,
    connection: typeof connection === "string" ? undefined : connection,
    view,
    environment: { ...(await readAround(deps, view)), ...volumes },
  };
}

async function readAround(deps: ObserveDeps, view: ClusterView): Promise<ClusterEnvironment> {
  return { permissions: await readPermissions(deps.permissions, view), ...(await readWebhook(deps, view)) };
}

/** The operator looks at its own image; other programs take what the operator reported of it. */
async function ownImage(
  { baseSystem, ownModules, platform }: ObserveDeps,
  { status }: Stored<StoreEnterpriseCluster>,
): Promise<Pick<ClusterView, "operatorBaseSystem" | "operatorModules" | "platform">> {
  const written = status?.operatorModules?.map(({ databaseVersion, names }) => ({
    storeVersion: databaseVersion,
    modules: names,
  }));
  return {
    operatorBaseSystem: baseSystem ?? status?.operatorBaseSystem,
    operatorModules: (await ownModules) ?? written,
    ...(platform !== undefined && { platform }),
  };
}

const LOOKED_UP = 3;

/** A pod that its StatefulSet does not know keeps another of its name away. */
async function readNamesakes(
  reads: ClusterReads,
  cluster: ClusterRef,
  workload: Workload | undefined,
  pods: readonly NodePod[],
): Promise<Pick<ClusterView, "namesakes">> {
  const missing = Array.from({ length: workload?.replicas ?? 0 }, (_, ordinal) => ordinal).filter(
    (ordinal) => !pods.some((pod) => pod.ordinal === ordinal),
  );
  // one is enough to say what is wrong; another writer may have asked for any number
  const found = missing.length === 0 ? [] : await reads.podsNamed(cluster, missing.slice(0, LOOKED_UP));
  const selector = Object.entries(podSelector(cluster.name, "node"));
  const unknown = found.filter(({ metadata }) => selector.some(([key, value]) => metadata.labels?.[key] !== value));
  return unknown.length === 0 ? {} : { namesakes: unknown.map(namesakeOf) };
}

/** The StatefulSet, and the volumes while they grow or are all that shows what a lost StatefulSet had. */
async function observeWorkload(
  reads: ClusterReads,
  cluster: ClusterRef,
  { status }: Stored<StoreEnterpriseCluster>,
  spec: ClusterSpec,
  pods: readonly NodePod[],
): Promise<{ readonly workload: Workload | undefined } & Pick<ClusterEnvironment, "volumes">> {
  const stored = await reads.statefulSet(cluster);
  const workload = stored && workloadOf(stored);
  const growth = volumeGrowth({ spec, workload });
  const isLost = workload === undefined && pods.length > 0 && spec.persistentSpec.enabled;
  const volumes = isLost || growth !== undefined ? await reads.volumes(cluster, growth?.to) : undefined;
  return {
    workload: workload ?? lostWorkload(pods, status?.imageTag, volumes?.read === true ? volumes.value : []),
    ...(volumes !== undefined && { volumes }),
  };
}

/** Reads the webhook, which can block only an upgrade (§4.3 rule 4). */
async function readWebhook({ webhook }: ObserveDeps, view: ClusterView): Promise<Pick<ClusterEnvironment, "webhook">> {
  const seen = versionChange(view) === undefined ? undefined : await webhook?.();
  return seen === undefined ? {} : { webhook: seen };
}

/**
 * Permissions are reviewed this often, that often while something moves or fails, and at every look while a roll is about to
 * begin, which must not begin without them; in milliseconds.
 */
const REVIEW_MS = {
  operator: { rest: 60_000, degraded: 2_000, beginning: 0 },
  cluster: { rest: 60_000, degraded: 10_000, beginning: 10_000 },
} as const;

/** The way to the management API of a cluster, aimed at its node pods; a sentence while there is none. */
export async function connectionTo(
  connections: Connections,
  cluster: ClusterRef,
  spec: ClusterSpec,
  pods: readonly Stored<Pod>[],
): Promise<ClusterConnection | string> {
  if (pods.length === 0) return "no node pod is there yet";
  const credentials = spec.clusterCredentialSecretName ?? clusterNames.credentialsSecret(cluster.name);
  const connection = await connections.to(cluster, credentials);
  if (typeof connection !== "string") connection.aim(addressesOf(pods));
  return connection;
}

/** What the operator lacks, and the nodes and rigger that run: those that are only asked for get theirs before they are made. */
async function readPermissions(
  permissions: Permissions,
  view: ClusterView,
): Promise<Reading<readonly MissingPermission[]>> {
  const health = isVersionAsked(view) ? "beginning" : isDegraded(view) ? "degraded" : "rest";
  const own = await permissions.operator(REVIEW_MS.operator[health]);
  if (!own.read || view.workload === undefined || view.deleting) return own;
  const account = view.spec.serviceAccountName ?? view.name;
  const scope = { name: view.name, nodes: abovePods(view.pods, view.workload.replicas), account };
  const others = await permissions.cluster(scope, REVIEW_MS.cluster[health]);
  if (others.read) return { read: true, value: [...own.value, ...others.value] };
  return own.value.length > 0 ? own : others;
}

/** The cluster moves, is about to, or does not do what it should: a moment to look closely at what may be done. */
function isDegraded(view: ClusterView): boolean {
  const { cluster } = view;
  if (versionChange(view) !== undefined || !cluster.reachable) return true;
  return cluster.nodes.some(({ active }) => !active) || cluster.databases.some(({ status }) => status !== "active");
}

/** Nodes in service are asked first, then those that run, and last those that do not look as if they would answer. */
function addressesOf(pods: readonly Stored<Pod>[]): string[] {
  const rank = ({ status }: Stored<Pod>): number =>
    ["Ready", "ContainersReady"].filter((type) => isTrue(status?.conditions, type)).length;
  return pods
    .toSorted((a, b) => rank(b) - rank(a))
    .map(({ status }) => status?.podIP ?? "")
    .filter((address) => address !== "");
}
