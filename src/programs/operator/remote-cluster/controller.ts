import type { Clock } from "../../../core/base/clock.ts";
import { isFault, messageOf } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import { FINALIZERS } from "../../../core/api/kinds.ts";
import type { EventRecorder } from "../../../ports/kube/events.ts";
import type { Kube } from "../../../ports/kube/kube.ts";
import { keyOf, refOfKey } from "../../../ports/kube/ref.ts";
import { faults as managementFaults } from "../../../ports/management/faults.ts";
import { RemoteClusters } from "../../../mechanisms/observe/kinds.ts";
import { neighboursIn } from "../../../mechanisms/observe/neighbours.ts";
import type { SiteHeard } from "../../../mechanisms/observe/sites.ts";
import { findingOf, objections } from "../../../core/planner/admission/objection.ts";
import { REMOTE_CLUSTER_RULES } from "../../../core/planner/admission/remote-cluster.ts";
import { judgeRemoteCluster } from "../../../core/planner/active-active/remote-cluster.ts";
import { settled, waiting, type Outcome } from "../../../mechanisms/reconcile/outcome.ts";
import type { Release } from "../../../core/releases/release.ts";
import { holdBack, letGo } from "../finalizer.ts";
import { footingOf, hear, isOwn, participantWord, readRemote, type HearingDeps, type Rerc } from "./hearing.ts";
import { objectsIn } from "./objects.ts";
import { reportRemoteCluster } from "./report.ts";

export interface RemoteClusterDeps extends HearingDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly release: Release;
  /** Told of each Active-Active database, by `namespace/name`, that a remote cluster speaks of. */
  readonly onSpokenOf: (key: string) => void;
}

/** A remote cluster is asked this often, in milliseconds. */
export const SITE_MS = 2_000;

/** One pass over a StoreEnterpriseRemoteCluster: asks its cluster, tells the own one which operator this is, reports. */
export function remoteClusterReconciler(deps: RemoteClusterDeps): (key: string) => Promise<Outcome> {
  return async (key) => {
    const ref = refOfKey(key);
    const rerc = deps.copies.remoteClusters.get(ref);
    if (rerc === undefined) {
      await deps.sites.forget({ name: ref.name, namespace: ref.namespace ?? "default" });
      return settled;
    }
    const users = usersOf(deps, rerc);
    const kept = await keepFinalizer(deps.kube, rerc, users.length > 0);
    const isLeaving = rerc.metadata.deletionTimestamp !== undefined;
    return isLeaving && users.length === 0 ? settled : pass(deps, kept, isLeaving ? users : []);
  };
}

/** `waitsFor`: the Active-Active databases that keep it from being deleted. */
async function pass(deps: RemoteClusterDeps, rerc: Rerc, waitsFor: readonly string[]): Promise<Outcome> {
  const own = isOwn(deps.copies, rerc);
  if (own && footingOf(deps, rerc) === undefined) return settled; // it is woken once its cluster has been looked at
  const heard = await hear(deps, rerc, SITE_MS / 2);
  if (own) await introduce(deps, rerc, heard);
  const verdict = judgeRemoteCluster(objectionsTo(deps, rerc), participantWord(heard));
  await reportRemoteCluster(deps, rerc, { verdict, heard, isOwn: own, waitsFor });
  if (!("reason" in heard.word)) {
    const { namespace = "default" } = rerc.metadata;
    for (const { name } of heard.word.crdbs) deps.onSpokenOf(keyOf({ name, namespace }));
  }
  return waiting(SITE_MS, verdict.reachable.reason, verdict.reachable.message);
}

/** The other participants ask the own cluster which operator looks after it (§9). */
async function introduce(deps: RemoteClusterDeps, rerc: Rerc, { word }: SiteHeard): Promise<void> {
  const { operator } = deps.release;
  if ("reason" in word || word.cluster.operator_version === operator) return;
  const client = footingOf(deps, rerc)?.connection?.client;
  if (client === undefined) return;
  try {
    await client.call("updateCluster", { body: { operator_version: operator } });
    deps.sites.wrote(client);
  } catch (error) {
    if (!Object.values(managementFaults).some((fault) => isFault(error, fault))) throw error;
    deps.log.warn("the cluster was not told which operator this is, trying again", {
      cluster: rerc.spec.recName,
      error: messageOf(error),
    });
  }
}

function objectionsTo({ copies, release }: RemoteClusterDeps, rerc: Rerc) {
  const { name, namespace = "default" } = rerc.metadata;
  const remote = readRemote(rerc);
  if (typeof remote === "string") return [];
  const neighbours = neighboursIn(objectsIn(copies, namespace), release, { kind: "remoteClusters", name });
  return objections(REMOTE_CLUSTER_RULES, { name, spec: remote.spec, before: undefined, neighbours }).map(findingOf);
}

/** Names of the Active-Active databases that refer to it. */
function usersOf({ copies }: RemoteClusterDeps, { metadata }: Rerc): readonly string[] {
  return objectsIn(copies, metadata.namespace ?? "default")
    .activeActives.filter(({ spec }) => spec.participatingClusters.some(({ name }) => name === metadata.name))
    .map((reaadb) => reaadb.metadata.name);
}

async function keepFinalizer(kube: Kube, rerc: Rerc, isUsed: boolean): Promise<Rerc> {
  const isLeaving = rerc.metadata.deletionTimestamp !== undefined;
  if (isUsed) return isLeaving ? rerc : holdBack(kube, RemoteClusters, rerc, FINALIZERS.remoteCluster);
  await letGo(kube, RemoteClusters, rerc, FINALIZERS.remoteCluster);
  return rerc;
}
