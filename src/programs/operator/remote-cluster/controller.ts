import type { Clock } from "#kit/base/clock";
import { isFault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { FINALIZERS } from "../../../core/api/kinds.ts";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube } from "#kit/kube/kube";
import { isSame } from "#kit/kube/same";
import { keyOf, refOfKey } from "#kit/kube/ref";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults as managementFaults } from "../../../ports/management/faults.ts";
import { RemoteClusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { referencesIn } from "../../../mechanisms/observe/kubernetes/references.ts";
import { knowsLinks, type SiteState } from "../../../mechanisms/observe/sites/sites.ts";
import { findingOf, objections } from "../../../core/planner/admission/objection.ts";
import { REMOTE_CLUSTER_RULES } from "../../../core/planner/admission/remote-cluster.ts";
import { evaluateRemoteCluster } from "../../../core/planner/active-active/remote-cluster.ts";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import type { Release } from "../../../core/releases/catalogue/release.ts";
import type { FindingLog } from "../objects/finding-log.ts";
import { reportFailedPass } from "../objects/failed-condition.ts";
import { addFinalizer, removeFinalizer } from "../objects/finalizer.ts";
import { withFailuresReported } from "../objects/pass-failure.ts";
import {
  localContextOf,
  readParticipant,
  isOwn,
  participantWord,
  readRemote,
  type RemoteReadDeps,
  type Rerc,
} from "./participant.ts";
import { objectsIn } from "./objects.ts";
import { remoteSitesOf } from "./remote-sites.ts";
import { reportRemoteCluster } from "./report.ts";

export interface RemoteClusterDeps extends RemoteReadDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly findings: FindingLog;
  readonly release: Release;
  /** Asks for a pass over an Active-Active database, by `namespace/name`, that the remote cluster has a record of. */
  readonly enqueueActiveActive: (key: string) => void;
}

/** A remote cluster is polled this often, in milliseconds. */
export const SITE_MS = 2_000;

/** One pass over a StoreEnterpriseRemoteCluster: polls its cluster, writes the operator version to the local one, reports. */
export function remoteClusterReconciler(deps: RemoteClusterDeps): (key: string) => Promise<Outcome> {
  const reconcile = async (key: string): Promise<Outcome> => {
    const ref = refOfKey(key);
    const rerc = deps.cache.remoteClusters.get(ref);
    if (rerc === undefined) {
      deps.findings.report("remoteCluster", ref, []);
      await deps.sites.forget({ name: ref.name, namespace: ref.namespace ?? "default" });
      return AT_REST;
    }
    const users = usersOf(deps, rerc);
    const kept = await keepFinalizer(deps.kube, rerc, users.length > 0);
    const isTerminating = rerc.metadata.deletionTimestamp !== undefined;
    return isTerminating && users.length === 0 ? AT_REST : pass(deps, kept, isTerminating ? users : []);
  };
  return withFailuresReported(reconcile, reportFailedPass(deps, RemoteClusters, deps.cache.remoteClusters), deps.log);
}

/** `waitsFor`: the Active-Active databases that keep it from being deleted. */
async function pass(deps: RemoteClusterDeps, rerc: Rerc, waitsFor: readonly string[]): Promise<Outcome> {
  const own = isOwn(deps.cache, rerc);
  if (own && localContextOf(deps, rerc) === undefined) return AT_REST; // it is enqueued once its cluster has been observed
  const polled = await readParticipant(deps, rerc, SITE_MS / 2);
  if (own) {
    await writeOperatorVersion(deps, rerc, polled);
    await writeRemoteSites(deps, rerc, polled);
  }
  const verdict = evaluateRemoteCluster(objectionsTo(deps, rerc), participantWord(polled));
  await reportRemoteCluster(deps, rerc, { verdict, polled, isOwn: own, waitsFor });
  if (!("reason" in polled.answer)) {
    const { namespace = "default" } = rerc.metadata;
    for (const { name } of polled.answer.crdbs) deps.enqueueActiveActive(keyOf({ name, namespace }));
  }
  return lookAgain(SITE_MS);
}

/** The other participants read from the local cluster which operator manages it (§9). */
async function writeOperatorVersion(deps: RemoteClusterDeps, rerc: Rerc, { answer }: SiteState): Promise<void> {
  const { operator } = deps.release;
  if ("reason" in answer || answer.cluster.operator_version === operator) return;
  await write(deps, rerc, "the operator version", async (client) => {
    await client.call("updateCluster", { body: { operator_version: operator } });
    deps.sites.wrote(client);
  });
}

/** Links know by it where the other participants are, and whom they trust. Nodes of releases before 0.4.0 never see it. */
async function writeRemoteSites(deps: RemoteClusterDeps, rerc: Rerc, { answer }: SiteState): Promise<void> {
  if ("reason" in answer || !knowsLinks(answer)) return;
  await write(deps, rerc, "the remote clusters", async (client) => {
    const before = await client.call("remoteSites");
    const body = remoteSitesOf(deps, rerc.metadata.namespace ?? "default", before);
    if (!isSame(before, body)) await client.call("putRemoteSites", { body });
  });
}

async function write(
  deps: RemoteClusterDeps,
  rerc: Rerc,
  what: string,
  call: (client: ManagementClient) => Promise<void>,
): Promise<void> {
  const client = localContextOf(deps, rerc)?.connection?.client;
  if (client === undefined) return;
  try {
    await call(client);
  } catch (error) {
    if (!Object.values(managementFaults).some((fault) => isFault(error, fault))) throw error;
    deps.log.warn(`${what} could not be written to the cluster, trying again`, {
      cluster: rerc.spec.recName,
      error: messageOf(error),
    });
  }
}

function objectionsTo({ cache, release }: RemoteClusterDeps, rerc: Rerc) {
  const { name, namespace = "default" } = rerc.metadata;
  const remote = readRemote(rerc);
  if (typeof remote === "string") return [];
  const references = referencesIn(objectsIn(cache, namespace), release, { kind: "remoteClusters", name });
  return objections(REMOTE_CLUSTER_RULES, { name, spec: remote.spec, before: undefined, references }).map(findingOf);
}

/** Names of the Active-Active databases that refer to it. */
function usersOf({ cache }: RemoteClusterDeps, { metadata }: Rerc): readonly string[] {
  return objectsIn(cache, metadata.namespace ?? "default")
    .activeActives.filter(({ spec }) => spec.participatingClusters.some(({ name }) => name === metadata.name))
    .map((reaadb) => reaadb.metadata.name);
}

async function keepFinalizer(kube: Kube, rerc: Rerc, isUsed: boolean): Promise<Rerc> {
  const isTerminating = rerc.metadata.deletionTimestamp !== undefined;
  if (isUsed) return isTerminating ? rerc : addFinalizer(kube, RemoteClusters, rerc, FINALIZERS.remoteCluster);
  await removeFinalizer(kube, RemoteClusters, rerc, FINALIZERS.remoteCluster);
  return rerc;
}
