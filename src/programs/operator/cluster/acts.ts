import { assertNever } from "../../../core/base/assert-never.ts";
import type { Clock } from "../../../core/base/clock.ts";
import { Fault } from "../../../core/base/fault.ts";
import { clusterNames, IN_SERVICE_GATE, OPERATOR_NAME } from "../../../core/api/names.ts";
import { Pods, StatefulSets } from "../../../ports/kube/builtin.ts";
import type { Kube, Ref } from "../../../ports/kube/kube.ts";
import { timestamp } from "../../../ports/kube/timestamp.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import { growClaim } from "../../../mechanisms/observe/kubernetes/claims.ts";
import { Clusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { deletionGrace } from "../../../core/planner/cluster/recovery.ts";
import type { ClusterAct } from "../../../core/planner/cluster/roll.ts";
import { faults } from "../faults.ts";
import { nodeStatefulSet } from "../objects/stateful-set.ts";

export interface ActDeps {
  readonly kube: Kube;
  readonly clock: Clock;
}

/** Does the one thing that was decided; each act may be done twice. */
export async function perform(
  { kube, clock }: ActDeps,
  observation: ClusterObservation,
  act: ClusterAct,
  target: string,
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
      return writeWorkload(kube, observation, target, act.partition);
    case "grow-volume":
      await growClaim(kube, { name: act.claim, namespace }, act.size);
      return;
    case "free-pods":
      await kube.delete(StatefulSets, { name: view.name, namespace }, { propagation: "Orphan" });
      return;
    case "restore-workload":
      return writeWorkload(kube, observation, act.tag, act.partition);
    case "delete-pods":
    case "recover-database":
    case "end-recovery":
      return performRecovery(kube, observation, act);
    case "write-tag":
      return patchSpec(kube, observation, { storeEnterpriseImageSpec: { versionTag: act.tag } });
    default:
      assertNever(act);
  }
}

/** Writes the StatefulSet of the nodes; pods from ordinal `partition` on may be replaced. */
export async function writeWorkload(
  kube: Kube,
  observation: ClusterObservation,
  tag: string,
  partition: number,
): Promise<void> {
  await kube.apply(StatefulSets, nodeStatefulSet(observation, tag, partition), {
    fieldManager: OPERATOR_NAME,
    force: true,
  });
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
