import assert from "node:assert/strict";
import { test } from "node:test";
import { asking, clusterView, facts, node, OLD, pod } from "../../../../test/kit/facts/cluster-view.ts";
import type { ClusterView, NodePod, Workload } from "../view/cluster-view.ts";
import { planCluster } from "./plan.ts";

const base = clusterView();
const undone = { revision: "undone" };

interface Case {
  readonly rule: string;
  readonly pods: readonly NodePod[];
  readonly workload?: Partial<Workload>;
  readonly nodes: number;
  /** The act with its reason. */
  readonly step: string;
}

/** A cluster whose StatefulSet another writer took back to an earlier template while no operator ran; the operator has not written it yet. */
function unread({ pods, workload, nodes }: Pick<Case, "pods" | "workload" | "nodes">): ClusterView {
  const found = { template: "wanted", updateRevision: "undone", currentRevision: "undone", alteration: "unread" };
  return clusterView({
    spec: asking(OLD.nodeTag, { nodes }),
    workload: base.workload && ({ ...base.workload, ...found, replicas: 5, partition: 5, ...workload } as Workload),
    pods,
    cluster: facts({ nodes: [1, 2, 3, 4, 5].map((uid) => node(uid, { active: uid !== 3 && uid !== 4 })) }),
  });
}

const lost = pod(2, { revision: "wanted", deleting: true, endsInMs: -60_000, containerReady: false, inService: false });
const refused = pod(3, { revision: "nonsense", trouble: "ErrImagePull", containerReady: false, inService: false });

const cases: readonly Case[] = [
  {
    rule: "a write that repairs a pod releases no pod of the template that it takes back",
    pods: [pod(0, undone), pod(1, undone), lost, refused, pod(4, undone)],
    nodes: 5,
    step: "write-workload 5: this operator has not written the StatefulSet yet: no pod is replaced by the write",
  },
  {
    rule: "nor does one that adds nodes, whatever partition another writer left",
    pods: [pod(0, undone), pod(1, undone), { ...lost, ...undone }],
    workload: { replicas: 3, partition: 0, currentRevision: "before" },
    nodes: 5,
    step: "write-workload 5: this operator has not written the StatefulSet yet: no pod is replaced by the write",
  },
];

for (const { rule, step, ...given } of cases)
  test(`an unread StatefulSet: ${rule}`, () => {
    const decision = planCluster(unread(given), "wanted");
    assert.ok(decision.step.kind === "act", JSON.stringify(decision.step));
    const { act, why } = decision.step;
    assert.equal(`${[...Object.values(act)].map(String).join(" ")}: ${why}`, step);
  });
