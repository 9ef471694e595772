import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { asking, clusterView, database, facts, NEW, pod } from "../../../../test/kit/facts/cluster-view.ts";
import { findingBehind } from "../findings/step.ts";
import { planCluster } from "./plan.ts";
import type { ClusterAct } from "./step.ts";
import type { PolledCluster, ClusterNode, ClusterView, NodePod, Workload } from "../view/cluster-view.ts";

const WANTED = "new template";
/** What may hold a roll up for a while, and never fails it. */
const WAITS = ["ReplicaNotInSync", "NodeInMaintenance"];

/** A small world that follows the acts of the planner as Kubernetes and the cluster would, in any order of events. */
class World {
  view: ClusterView;
  readonly acts: string[] = [];

  constructor() {
    this.view = clusterView({
      release: NEW,
      spec: asking(NEW.nodeTag),
      remembered: { ...clusterView().remembered, upgrade: { from: "a", to: "b", startedAt: "", updatedNodes: 0 } },
      cluster: facts({ databases: [database()] }),
    });
  }

  get workload(): Workload {
    assert.ok(this.view.workload);
    return this.view.workload;
  }

  get cluster(): PolledCluster {
    assert.ok(this.view.cluster.reachable);
    return this.view.cluster;
  }

  /** One pass of the operator; a pass that begins anew knows nothing of the last one. */
  operator(): void {
    const decision = planCluster(this.view, WANTED);
    const unexpected = decision.findings.map(({ id }) => id).filter((id) => !WAITS.includes(id));
    assert.deepEqual(unexpected, []);
    if (decision.step.kind !== "act") return;
    this.acts.push(JSON.stringify(decision.step.act));
    this.#do(decision.step.act);
  }

  /** The cluster moves what has to leave nodes in maintenance. */
  leader(): void {
    const leaving = this.cluster.nodes.filter(({ maintenance }) => maintenance).map(({ uid }) => uid);
    const nodes = this.cluster.nodes.map((each) =>
      leaving.includes(each.uid) ? { ...each, leader: false, acceptsClients: false } : each,
    );
    const heir = nodes.find(({ active, maintenance }) => active && !maintenance);
    const led = nodes.some(({ leader }) => leader)
      ? nodes
      : nodes.map((each) => (each.uid === heir?.uid ? { ...each, leader: true } : each));
    const databases = this.cluster.databases.map((one) => ({ ...one, instances: moved(one.instances, leaving) }));
    this.view = { ...this.view, cluster: { ...this.cluster, nodes: led, databases } };
  }

  /** Replicas catch up. */
  sync(): void {
    const databases = this.cluster.databases.map((one) => ({
      ...one,
      instances: one.instances.map((instance) => ({ ...instance, inSync: this.#active(instance.node) })),
    }));
    this.view = { ...this.view, cluster: { ...this.cluster, databases } };
  }

  /** The StatefulSet controller: sees the template, then replaces the highest outdated pod if all above are ready. */
  statefulSet(): void {
    const { workload } = this;
    if (!workload.observed) {
      this.view = { ...this.view, workload: { ...workload, observed: true, updateRevision: NEW.nodeTag } };
      return;
    }
    if (this.view.pods.length < workload.replicas) {
      this.#createMissing();
      return;
    }
    for (const pod of this.view.pods.toSorted((a, b) => b.ordinal - a.ordinal)) {
      if (pod.ordinal < workload.partition) return;
      if (pod.revision !== workload.updateRevision) {
        this.#replace(pod);
        return;
      }
      if (!isReady(pod)) return;
    }
  }

  /** Replaced pods start. */
  kubelet(): void {
    const started = this.view.pods.filter(({ containerReady }) => !containerReady).map(({ ordinal }) => ordinal + 1);
    this.view = { ...this.view, pods: this.view.pods.map((pod) => ({ ...pod, containerReady: true })) };
    this.#nodes((each) =>
      started.includes(each.uid) ? { ...each, active: true, acceptsClients: !each.maintenance } : each,
    );
  }

  /** What `kubectl rollout status` answers. */
  rolloutIsComplete(): boolean {
    const ready = this.view.pods.filter(isReady).length;
    const updated = this.view.pods.filter(({ revision }) => revision === NEW.nodeTag).length;
    const { observed, replicas, partition } = this.workload;
    return observed && ready === replicas && updated >= replicas - partition;
  }

  get isOver(): boolean {
    return planCluster(this.view, WANTED).step.kind === "rest";
  }

  #active(uid: number): boolean {
    return this.cluster.nodes.some((each) => each.uid === uid && each.active);
  }

  #replace(gone: NodePod): void {
    const uid = gone.ordinal + 1;
    const leaving = this.cluster.nodes.find((each) => each.uid === uid);
    assert.ok(leaving?.maintenance, `node ${uid} was evacuated before its pod went`);
    const held = this.cluster.databases.flatMap(({ instances }) =>
      instances.filter((i) => i.node === uid && i.primary),
    );
    assert.deepEqual(held, [], `node ${uid} holds no primary when its pod goes`);
    assert.equal(this.cluster.nodes.filter(({ active }) => !active).length, 0, "no other node is down when a pod goes");
    this.view = { ...this.view, pods: this.view.pods.filter(({ ordinal }) => ordinal !== gone.ordinal) };
    this.#nodes((each) => (each.uid === uid ? { ...each, active: false, tag: NEW.nodeTag } : each));
    const databases = this.cluster.databases.map((one) => ({
      ...one,
      instances: one.instances.map((i) => (i.node === uid ? { ...i, inSync: false } : i)),
    }));
    this.view = { ...this.view, cluster: { ...this.cluster, databases } };
  }

  #createMissing(): void {
    const { updateRevision: revision, replicas } = this.workload;
    const present = new Set(this.view.pods.map(({ ordinal }) => ordinal));
    const missing = Array.from({ length: replicas }, (_, ordinal) => ordinal).filter((each) => !present.has(each));
    const made = missing.map((each) =>
      pod(each, { revision, nodeTag: NEW.nodeTag, containerReady: false, inService: false }),
    );
    this.view = { ...this.view, pods: [...this.view.pods, ...made] };
  }

  #do(act: ClusterAct): void {
    switch (act.kind) {
      case "gate": {
        const set = (each: NodePod): NodePod =>
          each.ordinal === act.ordinal ? { ...each, inService: act.inService } : each;
        this.view = { ...this.view, pods: this.view.pods.map(set) };
        return;
      }
      case "evacuate":
        this.#nodes((each) => (each.uid === act.node ? { ...each, maintenance: true } : each));
        return;
      case "take-back":
        this.#nodes((each) => (each.uid === act.node ? { ...each, maintenance: false, acceptsClients: true } : each));
        return;
      case "write-workload": {
        const isNew = this.workload.template !== WANTED;
        const workload = {
          ...this.workload,
          template: WANTED,
          nodeTag: NEW.nodeTag,
          partition: act.partition,
          observed: this.workload.observed && !isNew,
        };
        this.view = { ...this.view, workload };
        return;
      }
      case "hold-pods":
        this.view = { ...this.view, workload: { ...this.workload, partition: act.partition } };
        return;
      case "delete-pods":
      case "recover-database":
      case "end-recovery":
      case "write-tag":
        assert.fail("the tag is asked for already");
      case "grow-volume":
      case "free-pods":
      case "restore-workload":
        assert.fail("volumes and StatefulSet are as they should be");
    }
  }

  #nodes(change: (each: ClusterNode) => ClusterNode): void {
    this.view = { ...this.view, cluster: { ...this.cluster, nodes: this.cluster.nodes.map(change) } };
  }
}

test("a roll replaces each node once, evacuated, from the highest down, and says done only at the end", () => {
  const world = new World();
  run(world, ["operator", "leader", "sync", "statefulSet", "kubelet"]);
  const kinds = world.acts.map((act) => (JSON.parse(act) as ClusterAct).kind);
  const round = ["gate", "evacuate", "write-workload"];
  assert.deepEqual(kinds, [
    ...round,
    "take-back",
    ...round,
    "gate",
    "take-back",
    ...round,
    "gate",
    "take-back",
    "gate",
  ]);
});

test("in whatever order things happen, a roll ends, and rollout status is never complete before", () => {
  const events = fc.constantFrom("operator", "leader", "sync", "statefulSet", "kubelet");
  fc.assert(
    fc.property(fc.array(events, { minLength: 5, maxLength: 200 }), (order) => {
      const world = new World();
      run(world, [...order, "operator", "leader", "sync", "statefulSet", "kubelet"]);
    }),
    { numRuns: 200 },
  );
});

const waysOut: readonly (readonly [rule: string, trouble: string, remedy: RegExp])[] = [
  [
    "an image that cannot be pulled is corrected",
    "ErrImagePull",
    /^look: kubectl describe pod rec-2; correct the image spec, which the operator applies at once: kubectl edit rec rec$/,
  ],
  [
    "no worker takes the pod: the remedy says what a node asks for",
    "Unschedulable: 0/3 nodes are available: 3 Insufficient cpu.",
    /^look: kubectl describe pod rec-2; a node asks for cpu 2 and memory 4Gi, .* spec\.storeEnterpriseNodeResources.*kubectl edit rec rec/,
  ],
];
for (const [rule, trouble, remedy] of waysOut) {
  test(`a pod that does not run: ${rule}`, () => {
    const pods = [
      pod(0),
      pod(1),
      pod(2, { containerReady: false, inService: false, trouble, unschedulable: trouble.startsWith("Unschedulable") }),
    ];
    const view = clusterView({ pods });
    const { step } = planCluster(view, view.workload?.template ?? "");
    assert.match(findingBehind(step)?.remedy ?? "", remedy);
  });
}

type Turn = "operator" | "leader" | "sync" | "statefulSet" | "kubelet";

function run(world: World, order: readonly Turn[]): void {
  let begun = false;
  for (let turns = 0; !world.isOver; turns += 1) {
    assert.ok(turns < 100, `the roll ends; acts so far: ${world.acts.join(" ")}`);
    for (const turn of order) {
      world[turn]();
      begun ||= world.acts.length > 0;
      if (begun && world.rolloutIsComplete())
        assert.ok(world.view.pods.every(({ nodeTag }) => nodeTag === NEW.nodeTag));
    }
  }
  assert.ok(world.rolloutIsComplete());
}

function isReady(pod: NodePod): boolean {
  return pod.containerReady && pod.inService;
}

function moved(
  instances: PolledCluster["databases"][number]["instances"],
  leaving: readonly number[],
): PolledCluster["databases"][number]["instances"] {
  const heir = instances.find(({ node: uid, inSync, primary }) => !primary && inSync && !leaving.includes(uid));
  const mustMove = instances.some(({ node: uid, primary }) => primary && leaving.includes(uid));
  if (!mustMove || heir === undefined) return instances;
  return instances.map((instance) => ({ ...instance, primary: instance === heir }));
}
