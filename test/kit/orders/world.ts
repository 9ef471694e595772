import assert from "node:assert/strict";
import type { ClusterStatus } from "../../../src/core/api/cluster-status.ts";
import { planCluster, type ClusterDecision } from "../../../src/core/planner/cluster/plan.ts";
import { isComplete } from "../../../src/core/planner/cluster/state.ts";
import type { ClusterAct } from "../../../src/core/planner/cluster/step.ts";
import type { Alteration, ClusterView, NodePod } from "../../../src/core/planner/view/cluster-view.ts";
import { nodesOf, uidOf } from "../../../src/core/planner/view/cluster-view.ts";
import { targetTag } from "../../../src/core/planner/view/target.ts";
import type { Release } from "../../../src/core/releases/catalogue/release.ts";
import { asking, clusterView, facts, pod, release } from "../facts/cluster-view.ts";
import { SimulatedNodes } from "./nodes.ts";
import {
  actionsOf,
  observed,
  replacedNext,
  revisionOf,
  templateOf,
  workloadOf,
  type StatefulSet,
} from "./stateful-set.ts";

/** What users ask for. */
export interface Asked {
  readonly tag: string;
  readonly note: string;
  readonly nodes: number;
  readonly auto: boolean;
  /** The version that is in no release, and that a user accepts by name. */
  readonly accepted?: string;
}

/** Releases that may follow one another, the oldest first. */
export const RELEASES: readonly Release[] = ["8.0.6-8", "8.0.10-21", "8.0.16-24", "8.2.0-12"].map(release);
const [FIRST = release("8.0.6-8")] = RELEASES;
const EXPIRED = { state: "Expired", reason: "it expired", expirationDate: "2026-01-01T00:00:00Z" } as const;
const SPECS = new Map<string, ClusterView["spec"]>();
/** One turn, in milliseconds. */
const TURN_MS = 2_000;

/** A cluster with its operator in a simulated Kubernetes: each method is one turn of one of the parts, in virtual time. */
export class OrderedWorld {
  readonly nodes = new SimulatedNodes(FIRST.nodeTag);
  readonly said: string[] = [];
  set: StatefulSet;
  pods: NodePod[];
  asked: Asked = { tag: FIRST.nodeTag, note: "0", nodes: 3, auto: false };
  operator: Release = FIRST;
  operatorRuns = true;
  licensed = true;
  lost = new Set<string>();
  last: ClusterDecision | undefined;
  remembered: ClusterStatus = { version: FIRST.nodeTag, imageTag: FIRST.nodeTag, state: "Running" };
  /** Generation of the last writing by the operator that runs. */
  written: number | undefined;
  #made = 0;

  /** `isLegacy`: an operator of an older release left the partition at 0. */
  constructor(isLegacy: boolean) {
    const template = { tag: FIRST.nodeTag, note: "0", restarted: 0 };
    const revision = revisionOf(template);
    this.set = {
      template,
      hash: `${FIRST.nodeTag}/0`,
      replicas: 3,
      partition: isLegacy ? 0 : 3,
      generation: 1,
      observedGeneration: 1,
      currentRevision: revision,
      updateRevision: revision,
    };
    this.pods = [0, 1, 2].map((ordinal) => this.#newPod(ordinal, revision, true));
  }

  view(): ClusterView {
    const { asked, remembered, operator, licensed } = this;
    const alteration = this.#alteration();
    const more = { nodes: asked.nodes, autoUpgradeStoreEnterprise: asked.auto, podAnnotations: { note: asked.note } };
    const { accepted } = asked;
    const upgradeSpec = accepted === undefined ? {} : { upgradeSpec: { acceptUnknownVersion: accepted } };
    return clusterView({
      release: operator,
      remembered,
      kubernetesMinor: "1.34",
      spec: this.#specOf(asked.tag, { ...more, ...upgradeSpec }),
      workload: { ...workloadOf(this.set), ...(alteration && { alteration }) },
      pods: this.pods,
      cluster: facts({ ...this.nodes.records(), ...(licensed ? {} : { license: EXPIRED }) }),
    });
  }

  /** One pass of the operator; what it allows is judged before anything else happens. */
  operate(): void {
    if (!this.operatorRuns) return;
    const view = this.view();
    const target = targetTag(view);
    const decision = planCluster(view, this.#hash(target));
    this.last = decision;
    this.#remember(view, decision);
    if (decision.step.kind !== "act") return;
    const { act, why } = decision.step;
    this.said.push(`operator ${JSON.stringify(act)}: ${why}`);
    const before = replacedNext(this.set, this.pods);
    this.#do(act, target);
    const after = replacedNext(this.set, this.pods);
    if (after !== undefined && after !== before) this.#mayGo(after);
  }

  /** One turn of the StatefulSet controller. */
  control(): void {
    this.set = observed(this.set, this.pods);
    for (const action of actionsOf(this.set, this.pods)) {
      if (action.kind === "create") {
        if (this.pods.some(({ ordinal }) => ordinal === action.ordinal)) continue;
        this.pods = [...this.pods, this.#newPod(action.ordinal, action.revision, false)];
      } else this.deletePod(action.ordinal);
    }
    this.set = observed(this.set, this.pods);
  }

  /** One turn of the kubelets: pods end when their nodes are left, others start. */
  run(): void {
    for (const each of this.pods) {
      const uid = uidOf(each);
      if (each.deleting) this.#end(each, uid);
      else if (!each.containerReady && each.nodeTag !== "nonsense") {
        this.nodes.start(uid, each.nodeTag);
        this.#change(each, { containerReady: true });
      }
    }
  }

  deletePod(ordinal: number): void {
    const found = this.pods.find((each) => each.ordinal === ordinal);
    if (found === undefined || found.deleting) return;
    this.said.push(`pod ${ordinal} is deleted`);
    this.nodes.leave(uidOf(found), { isShutdown: true });
    this.#change(found, { deleting: true, endsInMs: 30_000 });
  }

  /** The worker of a pod dies: the pod stays until it is deleted by force. */
  loseWorker(ordinal: number): void {
    const found = this.pods.find((each) => each.ordinal === ordinal);
    if (found === undefined || this.lost.size > 0) return;
    this.lost.add(found.id);
    this.nodes.stop(uidOf(found));
    this.#change(found, { deleting: true, endsInMs: 30_000, containerReady: false });
  }

  endByForce(name: string): void {
    const ended = this.pods.find((each) => `rec-${each.ordinal}` === name && each.deleting);
    if (ended === undefined) return;
    this.nodes.stop(uidOf(ended));
    this.pods = this.pods.filter(({ id }) => id !== ended.id);
  }

  /** Another writer changes the spec of the StatefulSet. */
  edit(change: Partial<Pick<StatefulSet, "template" | "replicas" | "partition">>): void {
    this.set = { ...this.set, ...change, generation: this.set.generation + 1 };
  }

  /** Specs repeat themselves, and reading one takes longer than deciding on it. */
  #specOf(tag: string, more: object): ClusterView["spec"] {
    const key = JSON.stringify([tag, more]);
    const spec = SPECS.get(key) ?? asking(tag, more);
    SPECS.set(key, spec);
    return spec;
  }

  #end(each: NodePod, uid: number): void {
    const isLost = this.lost.has(each.id);
    if (!isLost && this.nodes.isLeft(uid)) {
      this.nodes.stop(uid);
      this.pods = this.pods.filter(({ id }) => id !== each.id);
    } else this.#change(each, { endsInMs: (each.endsInMs ?? 0) - TURN_MS });
  }

  #do(act: ClusterAct, target: string): void {
    switch (act.kind) {
      case "gate": {
        const found = this.pods.find(({ ordinal }) => ordinal === act.ordinal);
        if (found !== undefined) this.#change(found, { inService: act.inService });
        return;
      }
      case "evacuate":
        this.#othersServe(act.node, "a node is evacuated");
        return this.nodes.leave(act.node);
      case "take-back":
        return this.nodes.takeBack(act.node);
      case "write-workload":
        return this.#write(target, act.partition);
      case "restore-workload":
        return this.#write(act.nodeTag, act.partition);
      case "hold-pods":
        return this.#hold(act.partition, act.replicas);
      case "write-tag":
        this.asked = { ...this.asked, tag: act.nodeTag };
        return;
      default:
        assert.fail(`no such act is expected: ${act.kind}`);
    }
  }

  /** Server-side apply: fields of others stay. */
  #write(target: string, partition: number): void {
    const template = { tag: target, note: this.asked.note, restarted: this.set.template.restarted };
    const spec = { template, partition, replicas: nodesOf(this.view()) };
    const isSame =
      revisionOf(template) === revisionOf(this.set.template) &&
      partition === this.set.partition &&
      spec.replicas === this.set.replicas;
    const generation = this.set.generation + (isSame ? 0 : 1);
    this.set = { ...this.set, ...spec, generation, hash: this.#hash(target) };
    this.written = generation;
  }

  #hold(partition: number, replicas = this.set.replicas): void {
    const isOurs = this.written === this.set.generation;
    const isSame = partition === this.set.partition && replicas === this.set.replicas;
    this.set = { ...this.set, partition, replicas, generation: this.set.generation + (isSame ? 0 : 1) };
    const { generation } = this.set;
    if (isOurs) this.written = generation;
  }

  #alteration(): Alteration | undefined {
    if (this.written === undefined) return "unread";
    return this.written === this.set.generation ? undefined : "edited";
  }

  /** What the status keeps for the next pass. */
  #remember(view: ClusterView, { upgrading, change, targetTag: target, state }: ClusterDecision): void {
    const { upgrade, imageTag } = this.remembered;
    const tag = this.set.template.tag === target ? target : imageTag;
    const began = { from: change?.fromTag ?? target, to: target, startedAt: "then", updatedNodes: 0 };
    const ended =
      upgrade === undefined || change !== undefined || !isComplete(view) ? upgrade : { ...upgrade, finishedAt: "now" };
    const next = upgrading ? began : ended;
    this.remembered = { ...this.remembered, state, imageTag: tag ?? target, ...(next && { upgrade: next }) };
  }

  /** The pod that the StatefulSet controller may replace now by an act of the operator. */
  #mayGo(ordinal: number): void {
    const uid = ordinal + 1;
    if (this.pods.some((each) => each.ordinal === ordinal && !each.containerReady)) return;
    this.#othersServe(uid, `pod ${ordinal} may be replaced`);
    assert.ok(this.nodes.isEmpty(uid), `node ${uid} is evacuated before its pod may be replaced`);
  }

  #othersServe(uid: number, what: string): void {
    assert.ok(this.pods.length >= this.set.replicas, `${what} while a pod is missing`);
    const others = this.pods.filter((each) => uidOf(each) !== uid);
    const away = others.filter((each) => each.deleting || !this.nodes.serves(uidOf(each)));
    assert.deepEqual(away.map(uidOf), [], `${what} while other nodes are away`);
  }

  #hash(target: string): string {
    return `${target}/${this.asked.note}`;
  }

  #newPod(ordinal: number, revision: string, ready: boolean): NodePod {
    const { tag } = templateOf(revision);
    this.#made += 1;
    const trouble = tag === "nonsense" ? "ErrImagePull: not found" : "";
    return pod(ordinal, {
      id: `pod ${this.#made}`,
      revision,
      nodeTag: tag,
      trouble,
      containerReady: ready,
      inService: ready,
    });
  }

  #change(one: NodePod, change: Partial<NodePod>): void {
    this.pods = this.pods.map((each) => (each.id === one.id ? { ...each, ...change } : each));
  }
}
