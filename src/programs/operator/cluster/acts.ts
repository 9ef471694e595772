import { assertNever } from "#kit/base/assert-never";
import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import { clusterNames, IN_SERVICE_GATE, OPERATOR_NAME } from "../../../core/api/names.ts";
import { Pods, StatefulSets } from "#kit/kube/builtin";
import type { Kube, Ref, Stored } from "#kit/kube/kube";
import { timestamp } from "#kit/kube/timestamp";
import type { ManagementClient } from "../../../ports/management/client.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import { writingOf } from "../../../mechanisms/observe/kubernetes/workload.ts";
import { growClaim } from "../../../mechanisms/observe/kubernetes/claims.ts";
import { Clusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { deletionGrace } from "../../../core/planner/cluster/recovery.ts";
import type { ClusterAct } from "../../../core/planner/cluster/step.ts";
import { faults } from "../faults.ts";
import { nodeStatefulSet } from "../objects/stateful-set.ts";
import type { WorkloadWritings } from "./workload-writings.ts";

export interface ActDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly writings: WorkloadWritings;
}

/** Does the one thing that was decided; each act may be done twice. */
export async function perform(
  { kube, clock, writings }: ActDeps,
  observation: ClusterObservation,
  act: ClusterAct,
): Promise<void> {
  const { namespace, view } = observation;
  switch (act.kind) {
    case "gate": {
      const ref = { name: clusterNames.nodePod(view.name, act.ordinal + 1), namespace };
      await setGate(kube, ref, gateCondition(act.inService, clock.now()));
      return;
    }
    case "evacuate":
      await clientOf(observation).call("maintenanceOn", { params: { uid: act.node }, body: { demote_node: true } });
      return;
    case "take-back":
      await clientOf(observation).call("maintenanceOff", { params: { uid: act.node } });
      return;
    case "write-workload":
    case "hold-pods":
    case "restore-workload":
      return performWriting({ kube, writings }, observation, act);
    case "grow-volume":
      await growClaim(kube, { name: act.claim, namespace }, act.size);
      return;
    case "free-pods":
      await kube.delete(StatefulSets, { name: view.name, namespace }, { propagation: "Orphan" });
      return;
    case "delete-pods":
    case "recover-database":
    case "end-recovery":
      return performRecovery(kube, observation, act);
    case "write-tag":
      return patchSpec(kube, observation, { storeEnterpriseImageSpec: { versionTag: act.nodeTag } });
    default:
      assertNever(act);
  }
}

type WritingAct = Extract<ClusterAct, { readonly kind: "write-workload" | "hold-pods" | "restore-workload" }>;

async function performWriting(
  { kube, writings }: Pick<ActDeps, "kube" | "writings">,
  observation: ClusterObservation,
  act: WritingAct,
): Promise<void> {
  const { partition } = act;
  if (act.kind === "hold-pods") return writings.noteHeld(observation, await holdPods(kube, observation, act));
  const workload = nodeStatefulSet(observation, partition, act.kind === "restore-workload" ? act.nodeTag : undefined);
  const stored = await kube.apply(StatefulSets, workload, { fieldManager: OPERATOR_NAME, force: true });
  writings.noteWritten(observation, stored);
}

/** Sets only the partition and the number of nodes. When another writer was faster, the next pass decides on the new state. */
async function holdPods(
  kube: Kube,
  { namespace, view }: ClusterObservation,
  { partition, replicas }: Extract<ClusterAct, { readonly kind: "hold-pods" }>,
): Promise<Stored<StatefulSet> | undefined> {
  const ref = { name: view.name, namespace };
  const stored = await kube.get(StatefulSets, ref);
  if (stored === undefined || writingOf(stored.metadata) !== view.workload?.writing) return undefined;
  const { resourceVersion } = stored.metadata;
  const held = { updateStrategy: { rollingUpdate: { partition } } };
  const spec = replicas === undefined ? held : { ...held, replicas };
  return kube.patch(StatefulSets, ref, { type: "merge", body: { metadata: { resourceVersion }, spec } });
}

async function setGate(kube: Kube, pod: Ref, condition: object): Promise<void> {
  await kube.patch(Pods, pod, { type: "strategic", body: { status: { conditions: [condition] } } }, STATUS);
}

async function patchSpec(kube: Kube, { view, namespace }: ClusterObservation, spec: object): Promise<void> {
  await kube.patch(Clusters, { name: view.name, namespace }, { type: "merge", body: { spec } });
}

type RecoveryAct = Extract<ClusterAct, { readonly kind: "delete-pods" | "recover-database" | "end-recovery" }>;

async function performRecovery(kube: Kube, observation: ClusterObservation, act: RecoveryAct): Promise<void> {
  const { namespace, view } = observation;
  switch (act.kind) {
    case "delete-pods":
      for (const pod of act.pods) {
        const ref = { name: clusterNames.nodePod(view.name, pod.ordinal + 1), namespace };
        const gracePeriodSeconds = deletionGrace(pod);
        if (gracePeriodSeconds !== undefined) await kube.delete(Pods, ref, { uid: pod.id, gracePeriodSeconds });
      }
      return;
    case "recover-database": {
      const body = { recover_without_data: true };
      await clientOf(observation).call("recoverBdb", { params: { uid: act.uid }, body });
      return;
    }
    case "end-recovery":
      return patchSpec(kube, observation, { clusterRecovery: false });
    default:
      assertNever(act);
  }
}

const STATUS = { subresource: "status" } as const;

function gateCondition(inService: boolean, now: Date): object {
  return {
    type: IN_SERVICE_GATE,
    status: inService ? "True" : "False",
    reason: inService ? "InService" : "OutOfService",
    lastTransitionTime: timestamp(now),
  };
}

function clientOf({ connection, view }: ClusterObservation): ManagementClient {
  if (connection !== undefined) return connection.client;
  throw new Fault(faults.noConnection, `the management API of ${view.name} cannot be reached yet`);
}
