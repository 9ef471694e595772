import { FINALIZERS } from "../../../core/api/kinds.ts";
import type { Kube } from "#kit/kube/kube";
import { keyOf, refOfKey } from "#kit/kube/ref";
import { RemoteClusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { referencesIn } from "../../../mechanisms/observe/kubernetes/references.ts";
import { ruleFindings } from "../../../core/planner/admission/objection.ts";
import { REMOTE_CLUSTER_RULES } from "../../../core/planner/admission/remote-cluster.ts";
import { evaluateRemoteCluster } from "../../../core/planner/active-active/remote-cluster.ts";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { reportFailedPass } from "../objects/failed-condition.ts";
import { addFinalizer, removeFinalizer } from "../objects/finalizer.ts";
import { withFailuresReported } from "../objects/pass-failure.ts";
import { localContextOf, readParticipant, isOwn, participantWord, readRemote, type Rerc } from "./participant.ts";
import { objectsIn } from "./objects.ts";
import { reportRemoteCluster } from "./report.ts";
import { writeOperatorVersion, writeRemoteSites, type RemoteClusterDeps } from "./own-writes.ts";

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
  if (!("evidence" in polled.answer)) {
    const { namespace = "default" } = rerc.metadata;
    for (const { name } of polled.answer.crdbs) deps.enqueueActiveActive(keyOf({ name, namespace }));
  }
  return lookAgain(SITE_MS);
}

function objectionsTo({ cache, release }: RemoteClusterDeps, rerc: Rerc) {
  const { name, namespace = "default" } = rerc.metadata;
  const remote = readRemote(rerc);
  if (typeof remote === "string") return [];
  const references = referencesIn(objectsIn(cache, namespace), release, { kind: "remoteClusters", name });
  return ruleFindings(REMOTE_CLUSTER_RULES, { name, spec: remote.spec, before: undefined, references }, `rerc ${name}`);
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
