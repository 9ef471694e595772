import type { ConfigMap, Pod, Service } from "kubernetes-types/core/v1.js";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.js";
import type { OwnerReference } from "kubernetes-types/meta/v1.js";
import { isFault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { clusterNames, LABELS } from "../../core/api/names.ts";
import { EndpointSlices, Pods, Services } from "#kit/kube/builtin";
import type { Informer } from "#kit/kube/informer";
import type { Kube, Stored } from "#kit/kube/kube";
import { ownerReference } from "#kit/kube/ref";
import type { ManagementClient } from "../../ports/management/client.ts";
import { faults } from "../../ports/management/faults.ts";
import type { BdbRecord, NodeRecord } from "../../ports/management/records.ts";
import type { ObjectApplier } from "#kit/reconcile/object-applier";
import { lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { databaseEndpoints, databaseService, nodesOfDatabase, servingNodes, type EndpointOwner } from "./endpoints.ts";

export interface RiggerDeps {
  readonly kube: Kube;
  /** With what is mounted now. */
  readonly client: () => ManagementClient;
  readonly applier: ObjectApplier;
  readonly log: Log;
  readonly cluster: string;
  readonly namespace: string;
  readonly pods: Informer<Pod>;
  /** Records of the cluster and its databases. */
  readonly records: Informer<ConfigMap>;
  /** Services of the cluster; of others nothing is known before they are asked for. */
  readonly services: Informer<Service>;
  /** The same of their EndpointSlices. */
  readonly slices: Informer<EndpointSlice>;
  /** Milliseconds since something was last seen to change. */
  readonly sinceChangeMs: () => number;
}

/** Looked at this often when nothing changes, and shortly after a change, which a node may learn of later. */
const REST_MS = 2_000;
const SOON_MS = 100;
const RECENT_MS = 1_000;
/** And this often while no node answers. */
const SILENT_MS = 300;

/** One pass: the address of each database for its clients, then the label of the leader's pod. */
export function riggerReconciler(deps: RiggerDeps): () => Promise<Outcome> {
  let wasSilent = false;
  const noteFailures = failureNotes(deps);
  return async () => {
    const said = await askCluster(deps.client());
    if (said === undefined) {
      if (!wasSilent) deps.log.info("waiting until a node answers", { cluster: deps.cluster });
      wasSilent = true;
      return lookAgain(SILENT_MS);
    }
    if (wasSilent) deps.log.info("a node answers", { cluster: deps.cluster });
    wasSilent = false;
    const { nodes, bdbs } = said;
    const serving = servingNodes(nodes);
    const tasks: readonly Task[] = [
      ...bdbs.map((bdb) => [`database ${bdb.name}`, () => rig(deps, bdb, serving)] as const),
      ["label of the leader", () => labelLeader(deps, nodes)],
    ];
    noteFailures(await failuresOf(tasks));
    const isRecent = deps.sinceChangeMs() < RECENT_MS;
    return lookAgain(isRecent ? SOON_MS : REST_MS);
  };
}

/** One thing of a pass, by name. */
type Task = readonly [name: string, run: () => Promise<void>];

/** Does each of `tasks`: one that fails keeps no other from being done. Throws when nothing could be done at all. */
async function failuresOf(tasks: readonly Task[]): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const [name, run] of tasks) {
    try {
      await run();
    } catch (error) {
      failures.push(`${name}: ${messagesOf(error)}`);
      if (failures.length === tasks.length) throw error;
    }
  }
  return failures;
}

function messagesOf(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(messagesOf).join("; ") : messageOf(error);
}

/** Logs what fails when it is not what failed in the pass before. */
function failureNotes({ log, cluster }: RiggerDeps): (failures: readonly string[]) => void {
  let known = "";
  return (failures) => {
    const text = failures.join(" | ");
    if (text !== "" && text !== known) log.warn("a part of the addresses could not be written", { cluster, failures });
    known = text;
  };
}

/**
 * The answer of the cluster; undefined while no node answers, for instance while the cluster is being made: clients are sent where they were
 * sent before.
 */
async function askCluster(
  client: ManagementClient,
): Promise<{ readonly nodes: readonly NodeRecord[]; readonly bdbs: readonly BdbRecord[] } | undefined> {
  try {
    const [nodes, bdbs] = await Promise.all([client.call("nodes"), client.call("bdbs")]);
    return { nodes, bdbs };
  } catch (error) {
    if (isFault(error, faults.unreachable)) return undefined;
    throw error;
  }
}

async function rig(deps: RiggerDeps, bdb: BdbRecord, serving: readonly NodeRecord[]): Promise<void> {
  const { cluster, namespace } = deps;
  const record = deps.records.get({ name: clusterNames.databaseRecord(cluster, bdb.uid), namespace });
  if (record === undefined || bdb.status === "delete-pending") return;
  const place = { cluster, namespace, owner: ownerReference(record) };
  if (!(await isFree(deps, bdb, place))) return;
  const service = { type: Services, object: databaseService(bdb, place) };
  // without a serving node, the last known ones are more likely to answer than none
  const nodes = nodesOfDatabase(bdb, serving);
  const slices = nodes.length === 0 ? [] : [{ type: EndpointSlices, object: databaseEndpoints(bdb, nodes, place) }];
  await deps.applier.keep([service, ...slices]);
}

/**
 * A Service or an EndpointSlice of this name that is not marked as this database's stays unchanged: a database may have any name, also
 * that of a database of another cluster.
 */
async function isFree(
  { kube, log, services, slices }: RiggerDeps,
  { name }: BdbRecord,
  endpointOwner: EndpointOwner,
): Promise<boolean> {
  if (!/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) {
    log.warn("a database has no Service: its name is none that a Service may have", { database: name });
    return false;
  }
  const { namespace } = endpointOwner;
  const service = services.get({ name, namespace }) ?? (await kube.get(Services, { name, namespace }));
  const slice = slices.get({ name, namespace }) ?? (await slicesNamed(kube, name, namespace))[0];
  if ([service, slice].every((found) => found === undefined || isOurs(found, name, endpointOwner))) return true;
  log.warn("a database has no Service: the name belongs to another one", { database: name });
  return false;
}

/** The rigger may list them and not get one. */
async function slicesNamed(kube: Kube, name: string, namespace: string): Promise<readonly Stored<object>[]> {
  return (await kube.list(EndpointSlices, { namespace, fieldSelector: `metadata.name=${name}` })).items;
}

/** Labels of the cluster and the database, and its record for an owner: this one, or a former one of its name, which is gone then. */
function isOurs({ metadata }: Stored<object>, database: string, { cluster, owner }: EndpointOwner): boolean {
  const { labels = {}, ownerReferences = [] } = metadata;
  const isLabelled = labels[LABELS.cluster] === cluster && labels[LABELS.database] === database;
  const isOfRecord = ({ kind, name, uid }: OwnerReference): boolean =>
    uid === owner.uid || (kind === owner.kind && name === owner.name);
  return isLabelled && ownerReferences.some(isOfRecord);
}

async function labelLeader(
  { kube, namespace, cluster, pods }: RiggerDeps,
  nodes: readonly NodeRecord[],
): Promise<void> {
  const leader = nodes.find(({ role }) => role === "leader");
  if (leader === undefined) return;
  const name = clusterNames.nodePod(cluster, leader.uid);
  for (const pod of pods.list()) {
    const isLabelled = pod.metadata.labels?.[LABELS.leader] !== undefined;
    if (isLabelled !== (pod.metadata.name === name)) await label(kube, namespace, pod, pod.metadata.name === name);
  }
}

async function label(kube: Kube, namespace: string, pod: Stored<Pod>, isLeader: boolean): Promise<void> {
  const body = { metadata: { uid: pod.metadata.uid, labels: { [LABELS.leader]: isLeader ? "1" : null } } };
  await kube.patch(Pods, { name: pod.metadata.name, namespace }, { type: "merge", body });
}
