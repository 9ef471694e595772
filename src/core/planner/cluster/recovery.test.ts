import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView, database, facts, node, pod } from "../../../../test/kit/facts/cluster-view.ts";
import { type PlanCase, testPlans } from "../../../../test/kit/facts/planned-cluster.ts";
import { clusterSpec } from "../../api/cluster-spec.ts";
import { deletionGrace } from "./recovery.ts";

const spec = clusterSpec.parse({ clusterRecovery: true });
const silent = { reachable: false, reason: "no node answers" } as const;
const { remembered } = clusterView();
const begun = (pods: readonly string[]) => ({ ...remembered, recovery: { startedAt: "t", pods: [...pods] } });
const reset = begun(["an earlier pod"]);
const shut = [pod(0), pod(1), pod(2, { inService: false })];
const away = { ready: pod(2, { containerReady: false, inService: false }) };
const lacking = database({ status: "recovery", needsConsent: true });

const cases: readonly PlanCase[] = [
  {
    name: "recovery of a cluster whose nodes are lost begins: its pods are noted before one is deleted",
    view: { spec, cluster: silent },
    state: "RecoveryReset",
    step: "RecoveryBegins",
  },
  {
    name: "recovery of a cluster with a majority deletes no pod",
    view: { spec, remembered: begun([]) },
    state: "Running",
    step: "end-recovery",
  },
  {
    name: "the pods that were noted are deleted",
    view: { spec, cluster: silent, remembered: begun(["pod 0", "pod 1", "pod 2"]) },
    state: "RecoveryReset",
    step: "delete-pods",
  },
  {
    name: "a pod that ends soon is waited for",
    view: { spec, cluster: silent, remembered: begun(["pod 0"]), pods: [pod(0, { deleting: true, endsInMs: 5_000 })] },
    state: "RecoveryReset",
    step: "PodsEnding",
  },
  {
    name: "new pods start, and no node is active yet",
    view: { spec, cluster: silent, remembered: reset },
    state: "RecoveringFirstPod",
    step: "RecoveringFirstPod",
  },
  {
    name: "the first node is active, others join",
    view: { spec, cluster: facts({ nodes: [node(1)] }), remembered: reset },
    state: "Initializing",
    step: "NodeJoining",
  },
  {
    name: "a node of which an earlier pod was active does not count before its new pod is ready",
    view: { spec, remembered: reset, pods: [pod(0), pod(1), away.ready] },
    state: "Initializing",
    step: "NodeJoining",
  },
  {
    name: "every node is active: a database that waits for consent gets it",
    view: { spec, cluster: facts({ databases: [lacking] }), remembered: reset },
    state: "Running",
    step: "recover-database",
  },
  {
    name: "nodes come into service whatever they are made from",
    view: { spec, remembered: reset, pods: shut },
    state: "Initializing",
    step: "gate 2 true",
  },
  {
    name: "a database that loads its data is waited for",
    view: { spec, cluster: facts({ databases: [database({ status: "recovery" })] }), remembered: reset },
    state: "Running",
    step: "DatabasesRecovering",
  },
  {
    name: "a pod that no worker takes is not waited for once the others are active",
    view: {
      spec,
      remembered: reset,
      cluster: facts({ nodes: [node(1), node(2), node(3, { active: false })] }),
      pods: [pod(0), pod(1), pod(2, { inService: false, trouble: "Unschedulable", unschedulable: true })],
    },
    state: "Running",
    step: "end-recovery",
  },
  {
    name: "nodes and databases are back: the field is set to false",
    view: { spec, remembered: reset },
    state: "Running",
    step: "end-recovery",
  },
  {
    name: "a cluster whose StatefulSet is gone is made again over its volumes",
    view: { workload: undefined, pods: [], cluster: silent },
    state: "ClusterRecreating",
    step: "write-workload",
  },
];

testPlans(cases);

const graces: readonly (readonly [rule: string, endsInMs: number | undefined, seconds: number | undefined])[] = [
  ["a pod that is not being deleted gets half a minute", undefined, 30],
  ["one that was given a year gets half a minute too", 31_536_000_000, 30],
  ["one that ends soon is left alone", 20_000, undefined],
  ["one that is just overdue is left alone", -5_000, undefined],
  ["one that no kubelet ends is deleted by force", -20_000, 0],
];
for (const [rule, endsInMs, seconds] of graces)
  test(`deletionGrace: ${rule}`, () => {
    assert.equal(deletionGrace(pod(0, endsInMs === undefined ? {} : { endsInMs })), seconds);
  });
