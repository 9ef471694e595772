import type { Clock } from "#kit/base/clock";
import { FINALIZERS } from "../../../core/api/kinds.ts";
import { clusterNames, LABELS } from "../../../core/api/names.ts";
import { ConfigMaps, Leases, Pods, StatefulSets } from "#kit/kube/builtin";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube, ResourceType } from "#kit/kube/kube";
import { changeObject } from "#kit/kube/records";
import { refOf } from "#kit/kube/ref";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import { Clusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { stuckPod } from "../../../core/planner/cluster/stuck-pod.ts";
import { sentenceOf } from "../../../core/planner/findings/finding.ts";
import { readiness } from "../../../core/planner/findings/readiness.ts";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { removeFinalizer } from "../objects/finalizer.ts";
import { withStatements } from "../objects/conditions.ts";
import { deleteObjects, describeObject } from "../../../core/api/kubectl.ts";
import type { OwnershipVerdict } from "./ownership.ts";

export interface ClusterRemovalDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

const LOOK_AGAIN_MS = 1_000;

/** Removes a cluster once its databases are gone: first its nodes, then what they wrote, then the object itself. */
export async function removeCluster(
  deps: ClusterRemovalDeps,
  observation: ClusterObservation,
  { isWorkloadForeign }: Pick<OwnershipVerdict, "isWorkloadForeign">,
): Promise<Outcome> {
  const { kube } = deps;
  const { rec, view, namespace } = observation;
  if (!(rec.metadata.finalizers ?? []).includes(FINALIZERS.cluster)) return AT_REST;
  if (view.databasesLeft.length > 0) {
    return keepWaiting(deps, observation, "DatabasesRemain", waitsForDatabases(view));
  }
  const { workload } = view;
  if (workload?.presence === "lost") await deleteOrphans(kube, observation);
  else if (workload !== undefined && !isWorkloadForeign)
    await kube.delete(StatefulSets, { name: view.name, namespace });
  if (view.pods.length > 0) {
    return keepWaiting(
      deps,
      observation,
      "NodesLeaving",
      `${view.pods.length} of its node pods ${view.pods.length === 1 ? "is" : "are"} still there${stuckOnes(view)}`,
    );
  }
  // the cluster's own record stays with the volumes: they remember databases by number, and numbers are never used twice
  await deleteAll(kube, ConfigMaps, namespace, `${LABELS.cluster}=${view.name},${LABELS.record}=database`);
  await deleteAll(kube, Leases, namespace, `${LABELS.cluster}=${view.name}`);
  await removeFinalizer(kube, Clusters, rec, FINALIZERS.cluster);
  return AT_REST;
}

function stuckOnes(view: ClusterObservation["view"]): string {
  const found = view.pods.filter(({ deleting }) => deleting).flatMap((pod) => stuckPod(view, pod) ?? []);
  return found.map((finding) => `; ${sentenceOf(finding)}`).join("");
}

/**
 * Deletes pods without a StatefulSet, which would stay for ever. No StatefulSet is made for them: it would make missing pods of a spec that is
 * not checked any more.
 */
async function deleteOrphans(kube: Kube, { view, namespace }: ClusterObservation): Promise<void> {
  for (const { ordinal, id: uid } of view.pods.filter(({ orphaned, deleting }) => orphaned && !deleting))
    await kube.delete(Pods, { name: clusterNames.nodePod(view.name, ordinal + 1), namespace }, { uid });
}

/** Says how to delete the databases that are not being deleted yet, and where to see those that are. */
function waitsForDatabases({ databasesLeft, cluster }: ClusterObservation["view"]): string {
  const named = (deleting: boolean): readonly string[] =>
    databasesLeft.filter((one) => one.deleting === deleting).map(({ name }) => name);
  const [still, leaving] = [named(false), named(true)];
  const parts = [
    ...(still.length === 0 ? [] : [`waits until its databases are deleted: ${deleteObjects("redb", still)}`]),
    ...(leaving.length === 0
      ? []
      : [
          `waits for databases that are being deleted already: ${leaving.join(", ")}; what each waits for: ` +
            describeObject(`redb ${leaving.join(" ")}`),
        ]),
    ...(leaving.length === 0 || cluster.reachable ? [] : [`no node of the cluster answers: ${cluster.reason}`]),
  ];
  return parts.join("; ");
}

async function keepWaiting(
  { kube, clock, events }: ClusterRemovalDeps,
  { rec }: ClusterObservation,
  reason: string,
  message: string,
): Promise<Outcome> {
  const statement = { type: "Progressing", status: "True", reason, message } as const;
  const ready = readiness({ type: "Ready", status: "False", reason, message }, { isMoving: true, findings: [] });
  const known = rec.status?.conditions?.find(({ type }) => type === "Progressing");
  if (rec.status?.state !== "Deleting" || known?.message !== message) {
    const changes = known?.reason === reason ? [] : [{ type: "Normal", reason, message } as const];
    const change = (current: ClusterObservation["rec"]) => ({
      ...current,
      status: {
        ...current.status,
        state: "Deleting" as const,
        conditions: withStatements(current.status?.conditions, [...ready, statement], clock.now()),
      },
    });
    await events.recordAhead(rec, changes, () =>
      changeObject(kube, Clusters, refOf(rec), change, { subresource: "status" }),
    );
  }
  return lookAgain(LOOK_AGAIN_MS);
}

async function deleteAll(kube: Kube, type: ResourceType, namespace: string, labelSelector: string): Promise<void> {
  const { items } = await kube.list(type, { namespace, labelSelector });
  for (const item of items) await kube.delete(type, refOf(item));
}
