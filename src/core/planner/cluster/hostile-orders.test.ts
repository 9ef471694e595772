import assert from "node:assert/strict";
import { test } from "node:test";
import { asking, clusterView, database, facts, NEW, node, OLD, pod } from "../../../../test/kit/facts/cluster-view.ts";
import type { ClusterView, Workload } from "../view/cluster-view.ts";
import { clusterConditions } from "./conditions.ts";
import { planCluster } from "./plan.ts";

const base = clusterView();
const remembered = { ...base.remembered, upgrade: { from: "a", to: NEW.nodeTag, startedAt: "", updatedNodes: 1 } };
const fresh = { revision: "new", nodeTag: NEW.nodeTag };
const holding = pod(2, { ...fresh, inService: false });
const left = pod(1, { inService: false });
const instances = [
  { node: 3, primary: true, inSync: true },
  { node: 1, primary: false, inSync: true },
];
const evacuated = facts({
  nodes: [node(1), node(2, { maintenance: true, acceptsClients: false }), node(3)],
  databases: [database({ instances })],
});

/** The roll to the newest release, with one node new. */
function rolling(change: Partial<ClusterView>, workload: Partial<Workload> = {}): ClusterView {
  const template = { template: "wanted", nodeTag: NEW.nodeTag, updateRevision: "new", partition: 2 };
  return clusterView({
    release: NEW,
    spec: asking(NEW.nodeTag),
    remembered,
    workload: base.workload && { ...base.workload, ...template, ...workload },
    pods: [pod(0), pod(1), pod(2, fresh)],
    cluster: facts({ databases: [database({ instances })] }),
    ...change,
  });
}

/** The cluster at rest on the newest release, with a StatefulSet that another writer changed. */
function atRest(workload: Partial<Workload>, pods = [pod(0, fresh), pod(1, fresh), pod(2, fresh)]): ClusterView {
  const settled = { ...base.remembered, version: NEW.nodeTag, imageTag: NEW.nodeTag };
  return rolling({ pods, remembered: settled }, { partition: 3, currentRevision: "new", ...workload });
}

interface Order {
  readonly name: string;
  readonly view: ClusterView;
  /** Hash of the template that the spec asks for. */
  readonly wanted?: string;
  /** The act, or the reason of the wait. */
  readonly step: string;
}

const expired = { state: "Expired", reason: "it expired", expirationDate: "2026-01-01T00:00:00Z" } as const;
const emptied = { replicas: 0, partition: 3, alteration: "edited" } as const;
const listed = [1, 2, 3].map((uid) => ({ uid, pod: "", role: "", status: "active", version: "" }));
/** Nothing answers any more, and the status knows the nodes. */
const scaledAway: Partial<ClusterView> = {
  release: NEW,
  pods: [],
  cluster: { reachable: false, reason: "no node has an address yet" },
  remembered: { ...base.remembered, imageTag: OLD.nodeTag, nodes: listed },
};

const going: readonly Order[] = [
  {
    name: "a node whose pod is being deleted is away: no other one is chosen",
    view: rolling({ pods: [pod(0, { deleting: true }), pod(1), pod(2, fresh)] }),
    step: "QuorumAtRisk",
  },
  {
    name: "a released pod is held again while another one is being deleted",
    view: rolling({ pods: [pod(0, { deleting: true }), left, holding], cluster: evacuated }, { partition: 1 }),
    step: "hold-pods 2",
  },
  {
    name: "the node of a pod that is held again comes back while another one is being deleted",
    view: rolling({ pods: [pod(0, { deleting: true }), left, holding], cluster: evacuated }),
    step: "take-back 2",
  },
  {
    name: "the gate of a pod that is held again is opened",
    view: rolling({ pods: [pod(0, { deleting: true }), left, pod(2, fresh)] }),
    step: "gate 1 true",
  },
  {
    name: "a database that changes keeps the gate shut that holds a released pod",
    view: rolling(
      {
        pods: [pod(0), left, holding],
        cluster: { ...evacuated, databases: [database({ instances, status: "active-change-pending" })] },
      },
      { partition: 1 },
    ),
    step: "DatabaseBusy",
  },
  {
    name: "a released pod whose node a user took back is held again",
    view: rolling({ pods: [pod(0), left, holding] }, { partition: 1 }),
    step: "hold-pods 2",
  },
  {
    name: "the next pod is being deleted by a user: it is waited for",
    view: rolling({ pods: [pod(0), pod(1, { deleting: true, endsInMs: 20_000 }), pod(2, fresh)] }),
    step: "PodReplacing",
  },
  {
    name: "a pod that is being deleted and does not end is a finding",
    view: rolling({ pods: [pod(0), pod(1, { deleting: true, endsInMs: -60_000 }), pod(2, fresh)] }),
    step: "PodNotRunning",
  },
  {
    name: "a pod that was deleted by force and that finalizers keep is a finding",
    view: rolling({ pods: [pod(0), pod(1, { deleting: true, endsInMs: 0, finalizers: ["a/b"] }), pod(2, fresh)] }),
    step: "PodNotRunning",
  },
];

const edited: readonly Order[] = [
  {
    name: "a template that changes while a node is evacuated gives that node back, since a higher one comes first",
    view: rolling({ pods: [pod(0), left, pod(2, fresh)], cluster: evacuated }),
    wanted: "another",
    step: "take-back 2",
  },
  {
    name: "a template that changes while a pod is released holds the pod first",
    view: rolling({ pods: [pod(0), left, holding], cluster: evacuated }, { partition: 1 }),
    wanted: "another",
    step: "hold-pods 2",
  },
  {
    name: "a user's node in maintenance is left there, and is waited for",
    view: rolling({ cluster: { ...evacuated, nodes: [node(1, { maintenance: true }), node(2), node(3)] } }),
    step: "NodeInMaintenance",
  },
  {
    name: "a cluster that grows in mid-roll releases no pod",
    view: rolling({ spec: asking(NEW.nodeTag, { nodes: 5 }) }),
    step: "write-workload 2",
  },
  {
    name: "a cluster that grows at rest releases no pod",
    view: rolling({ pods: [pod(0), pod(1), pod(2)], spec: asking(NEW.nodeTag, { nodes: 5 }) }, { updateRevision: "" }),
    wanted: "another",
    step: "write-workload 3",
  },
  {
    name: "pods that an operator of an older release released without their checks are held",
    view: rolling({}, { partition: 0 }),
    step: "hold-pods 2",
  },
];

const foreign: readonly Order[] = [
  {
    name: "kubectl rollout undo is written over before a pod is replaced",
    view: atRest({ nodeTag: OLD.nodeTag, updateRevision: "old" }),
    step: "write-workload 3",
  },
  {
    name: "what another writer changed is written over, and no pod is released",
    view: atRest({ partition: 0, alteration: "edited" }),
    step: "write-workload 3",
  },
  {
    name: "pods that went back with the template go forward again",
    view: atRest({ updateRevision: "new", currentRevision: "old" }, [pod(0), pod(1), pod(2)]),
    step: "gate 2 false",
  },
  {
    name: "an operator that starts writes the StatefulSet once, as it is",
    view: atRest({ alteration: "unread" }),
    step: "write-workload 3",
  },
  {
    name: "kubectl rollout restart is rolled by the operator from the first node on",
    view: atRest({ updateRevision: "restarted" }),
    step: "gate 2 false",
  },
  {
    name: "a StatefulSet of an older release is held at rest, and no pod is replaced",
    view: atRest({ partition: 0 }),
    step: "hold-pods 3",
  },
  {
    name: "the partition stays while a pod would be made again from the revision before",
    view: atRest({ partition: 0, currentRevision: "old" }),
    step: "rest",
  },
  {
    name: "a cluster that was scaled to nothing before its upgrade comes back at its tag",
    view: clusterView({ ...scaledAway, workload: base.workload && { ...base.workload, ...emptied } }),
    step: "restore-workload 8.0.6-54 3",
  },
  {
    name: "and comes back as it was when its upgrade has been asked for",
    view: clusterView({
      ...scaledAway,
      spec: asking(NEW.nodeTag),
      workload: base.workload && { ...base.workload, ...emptied },
    }),
    step: "hold-pods 3 3",
  },
  {
    name: "also while its spec is refused",
    view: { ...atRest(emptied, []), spec: asking(NEW.nodeTag, { nodes: 4 }) },
    step: "hold-pods 3 3",
  },
  {
    name: "a template that changes meanwhile is given to none of the nodes that come back",
    view: atRest(emptied, []),
    wanted: "another",
    step: "hold-pods 3 3",
  },
  {
    name: "a node that was taken in mid-roll comes back at the tag that it had",
    view: { ...rolling({ pods: [pod(0)] }, { replicas: 1 }), cluster: facts({ license: expired }) },
    step: "hold-pods 2 3",
  },
  {
    name: "a changed StatefulSet of a cluster that waits for its upgrade replaces no pod",
    view: clusterView({
      release: NEW,
      workload: base.workload && { ...base.workload, partition: 1, alteration: "edited" },
    }),
    step: "hold-pods 3",
  },
];

for (const { name, view, wanted = "wanted", step } of [...going, ...edited, ...foreign]) {
  test(`hostile orders: ${name}`, () => {
    assert.equal(spell(planCluster(view, wanted)), step);
  });
}

const held: readonly Order[] = [
  {
    name: "a node that was evacuated",
    view: rolling({ pods: [pod(0), left, pod(2, fresh)], cluster: { ...evacuated, license: expired } }),
    step: "take-back 2",
  },
  {
    name: "a pod that was released",
    view: rolling({ pods: [pod(0), left, holding], cluster: { ...evacuated, license: expired } }, { partition: 1 }),
    step: "hold-pods 2",
  },
  {
    name: "a gate that was shut",
    view: rolling({ pods: [pod(0), left, holding], cluster: facts({ license: expired }) }),
    step: "gate 1 true",
  },
];
for (const { name, view, step } of held) {
  test(`hostile orders: a roll that is blocked gives back ${name}`, () => {
    const decision = planCluster(view, "wanted");
    assert.deepEqual([decision.state, spell(decision)], ["InvalidUpgrade", step]);
  });
}

test("hostile orders: a pod that is being deleted and does not end is ended by the command that the finding names", () => {
  const lost = pod(0, { deleting: true, endsInMs: -60_000 });
  const [finding] = planCluster(rolling({ pods: [lost, pod(1), pod(2, fresh)] }), "wanted").findings;
  assert.match(finding?.evidence ?? "", /node 1 \(its pod is being deleted\)/);
  assert.match(finding?.remedy ?? "", /kubectl delete pod rec-0 --force --grace-period=0$/);
});

test("hostile orders: the tag that starts a roll is not asked for again while it runs or is blocked", () => {
  const said = (view: ClusterView): string => {
    const decision = planCluster(view, "wanted");
    const condition = clusterConditions(view, decision).find(({ type }) => type === "ReconcileSuspended");
    return `${condition?.reason}: ${condition?.message}`;
  };
  assert.match(said(clusterView({ release: NEW })), /^OperatorUpgraded: .*kubectl patch rec rec/);
  assert.match(said(rolling({})), /^RollInProgress: .*kubectl rollout status sts rec/);
  const blocked = said(rolling({ cluster: facts({ license: expired }) }));
  assert.match(blocked, /^OperatorUpgraded: .*see what blocks it: kubectl describe rec rec$/);
});

function spell({ step }: ReturnType<typeof planCluster>): string {
  if (step.kind === "rest") return "rest";
  if (step.kind === "wait") return step.wait.id;
  const { kind, ...values } = step.act;
  return [kind, ...Object.values(values)].map(String).join(" ");
}
