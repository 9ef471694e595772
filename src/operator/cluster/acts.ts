import { assertNever } from "../../base/assert-never.ts";
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import { clusterNames, IN_SERVICE_GATE, OPERATOR_NAME } from "../../api/names.ts";
import { Pods, StatefulSets } from "../../kube/builtin.ts";
import type { Kube } from "../../kube/kube.ts";
import { timestamp } from "../../kube/timestamp.ts";
import type { ManagementClient } from "../../management/client.ts";
import type { ClusterObservation } from "../../observe/cluster.ts";
import { Clusters } from "../../observe/kinds.ts";
import type { ClusterAct } from "../../planner/cluster/roll.ts";
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
      const condition = gateCondition(act.inService, clock.now());
      await kube.patch(Pods, ref, { type: "strategic", body: { status: { conditions: [condition] } } }, STATUS);
      return;
    }
    case "evacuate":
      await clientOf(observation).call("maintenanceOn", { params: { uid: act.node }, body: { demote_node: true } });
      return;
    case "take-back":
      await clientOf(observation).call("maintenanceOff", { params: { uid: act.node } });
      return;
    case "write-workload":
      await kube.apply(StatefulSets, nodeStatefulSet(observation, target, act.partition), {
        fieldManager: OPERATOR_NAME,
        force: true,
      });
      return;
    case "write-tag": {
      const body = { spec: { storeEnterpriseImageSpec: { versionTag: act.tag } } };
      await kube.patch(Clusters, { name: view.name, namespace }, { type: "merge", body });
      return;
    }
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
