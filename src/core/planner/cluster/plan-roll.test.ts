import { clusterView, database, facts, NEW, node, pod, upgrading } from "../../../../test/kit/facts/cluster-view.ts";
import { type PlanCase, testPlans } from "../../../../test/kit/facts/planned-cluster.ts";
import type { ClusterView, NodePod } from "../view/cluster-view.ts";

/** In the middle of a roll: pod 2 was replaced from `template`, and its node is down. */
function rolled(template: string, replaced: NodePod): Partial<ClusterView> {
  const { workload } = clusterView();
  return {
    workload: workload && { ...workload, template, nodeTag: NEW.nodeTag, updateRevision: "bad", partition: 2 },
    pods: [pod(0), pod(1), replaced],
    cluster: facts({
      nodes: [node(1), node(2), node(3, { active: false })],
      databases: [
        database({
          instances: [
            { node: 2, primary: true, inSync: true },
            { node: 3, primary: false, inSync: false },
          ],
        }),
      ],
    }),
  };
}

const cases: readonly PlanCase[] = [
  {
    name: "the tag of this operator starts the upgrade: the highest pod leaves service first",
    view: upgrading,
    state: "Upgrade",
    step: "gate 2 false",
    suspended: "RollInProgress",
  },
  {
    name: "the node that left service is evacuated",
    view: { ...upgrading, pods: [pod(0), pod(1), pod(2, { inService: false })] },
    state: "Upgrade",
    step: "evacuate 3",
    suspended: "RollInProgress",
  },
  {
    name: "the primary of an evacuated node is waited for",
    view: {
      ...upgrading,
      pods: [pod(0), pod(1), pod(2, { inService: false })],
      cluster: facts({ nodes: [node(1), node(2), node(3, { maintenance: true })] }),
    },
    state: "Upgrade",
    step: "EvacuatingNode",
    suspended: "RollInProgress",
  },
  {
    name: "a replica that is behind makes the roll wait, not fail",
    view: {
      ...upgrading,
      cluster: facts({
        databases: [
          database({
            instances: [
              { node: 1, primary: true, inSync: true },
              { node: 2, primary: false, inSync: false },
            ],
          }),
        ],
      }),
    },
    state: "Upgrade",
    findings: ["ReplicaNotInSync"],
    step: "ReplicaNotInSync",
    suspended: "RollInProgress",
  },
  {
    name: "a primary that does not serve makes the roll of its replica's node wait",
    view: {
      ...upgrading,
      cluster: facts({
        databases: [
          database({
            waitingFor: "the primary does not answer",
            instances: [
              { node: 1, primary: true, inSync: false },
              { node: 3, primary: false, inSync: false },
            ],
          }),
        ],
      }),
    },
    state: "Upgrade",
    findings: ["PrimaryAway"],
    step: "PrimaryAway",
    suspended: "RollInProgress",
  },
  {
    name: "a node that is down makes the roll of another wait",
    view: { ...upgrading, cluster: facts({ nodes: [node(1), node(2, { active: false }), node(3)] }) },
    state: "Upgrade",
    findings: ["QuorumAtRisk"],
    step: "QuorumAtRisk",
    suspended: "RollInProgress",
  },
  {
    name: "a node in maintenance that the operator did not ask for stays there and makes the roll of another wait",
    view: { ...upgrading, cluster: facts({ nodes: [node(1, { maintenance: true }), node(2), node(3)] }) },
    state: "Upgrade",
    findings: ["NodeInMaintenance"],
    step: "NodeInMaintenance",
    suspended: "RollInProgress",
  },
  {
    name: "a pod whose image cannot be pulled is waited for, in words",
    view: {
      ...upgrading,
      ...rolled(
        "bad template",
        pod(2, { revision: "bad", containerReady: false, inService: false, trouble: "ErrImagePull" }),
      ),
    },
    state: "Upgrade",
    findings: ["PodNotRunning"],
    step: "PodNotRunning",
    suspended: "RollInProgress",
  },
  {
    name: "a corrected image spec replaces the pod that does not run, though its replica is behind",
    view: {
      ...upgrading,
      ...rolled(
        "another template",
        pod(2, { revision: "bad", containerReady: false, inService: false, trouble: "ErrImagePull" }),
      ),
    },
    state: "Upgrade",
    step: "write-workload",
    suspended: "RollInProgress",
  },
];

testPlans(cases);
