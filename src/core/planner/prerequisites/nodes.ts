import { callApi, describeObject, getNodePods, patchCluster } from "../../api/kubectl.ts";
import { nodeOf, uidOf, type ClusterDatabase, type ClusterView, type NodePod } from "../view/cluster-view.ts";
import { endStuck, isStuckEnding, makeAgain } from "../view/overdue.ts";
import { block, notKnown, wait } from "../findings/finding.ts";
import { defineCheck, quotedNames } from "./check.ts";
import type { CheckInput } from "./check-input.ts";
import { activePods, hasLostMajority } from "../view/lost.ts";

type Instance = ClusterDatabase["instances"][number];

export const clusterAnswers = defineCheck({
  id: "ClusterUnreachable",
  asks: "the management API answers",
  at: ["step"],
  needs: [],
  find({ view: { cluster } }) {
    if (cluster.reachable) return undefined;
    if (cluster.cause === "caller") return notKnown("ClusterUnreachable", cluster.reason);
    return wait("ClusterUnreachable", cluster.reason, `check the node pods: ${getNodePods()}`);
  },
});

export const othersAreActive = defineCheck({
  id: "QuorumAtRisk",
  asks: "every node is active",
  at: ["step"],
  needs: ["cluster"],
  find(input) {
    const { view } = input;
    const down = othersOf(input).filter((other) => isAway(view, other));
    const missing = (view.workload?.replicas ?? 0) - view.pods.length;
    if (down.length === 0 && missing <= 0) return undefined;
    const names = down.map((other) => `node ${uidOf(other)}${because(other)}`);
    return wait(
      "QuorumAtRisk",
      `not active: ${[...names, ...missingText(missing)].join(", ")}`,
      `bring every node back first: ${wayBack(view, down[0])}`,
    );
  },
});

/** A pod that is being deleted is away: its node answers only until it has handed over. */
function isAway(view: ClusterView, pod: NodePod): boolean {
  return pod.deleting || nodeOf(view, pod)?.active !== true;
}

function because({ deleting, trouble }: NodePod): string {
  if (deleting) return " (its pod is being deleted)";
  return trouble === "" ? "" : ` (${trouble})`;
}

function missingText(missing: number): readonly string[] {
  if (missing <= 0) return [];
  return [missing === 1 ? "1 pod that is not there" : `${missing} pods that are not there`];
}

/** `pod`: the first one that is away; undefined when pods are missing, of which the events of the StatefulSet say why. */
function wayBack({ name }: ClusterView, pod: NodePod | undefined): string {
  if (pod === undefined) return describeObject(`sts ${name}`);
  const object = `${name}-${pod.ordinal}`;
  const look = describeObject(`pod ${object}`);
  if (isStuckEnding(pod)) return `${look}; ${endStuck(object, pod)}`;
  // below the partition it is made again from the revision that ran before
  return pod.trouble === "" || pod.deleting ? look : `${look}; ${makeAgain(object)}`;
}

export const othersAreInService = defineCheck({
  id: "NodeInMaintenance",
  asks: "no node is in maintenance",
  at: ["step"],
  needs: ["cluster"],
  find(input) {
    const { view } = input;
    const kept = othersOf(input).filter((other) => nodeOf(view, other)?.maintenance === true);
    // another check objects to a node that is away
    const away = kept.filter((other) => !isAway(view, other));
    // the operator ends maintenance that it began, and leaves to users what they began
    const theirs = away.find(({ inService }) => inService) ?? away[0];
    if (theirs === undefined) return undefined;
    return wait(
      "NodeInMaintenance",
      `in maintenance: node ${away.map(uidOf).join(", node ")}`,
      `end it: ${endMaintenance(view.name, uidOf(theirs))}`,
    );
  },
});

function endMaintenance(cluster: string, uid: number): string {
  return callApi(cluster, "POST", `/v1/nodes/${uid}/actions/maintenance_off`);
}

/** What ends unasked has no line that ends it: a person looks how far it is, and what a database waits for. */
const LOOK = "look: storectl databases";

export const databasesAreActive = defineCheck({
  id: "DatabaseBusy",
  asks: "every database is active",
  at: ["step"],
  needs: ["cluster"],
  find({ view: { name: rec, cluster } }) {
    const busy = cluster.reachable ? cluster.databases.filter(({ status }) => status !== "active") : [];
    if (busy.length === 0) return undefined;
    const asksConsent = busy.some(({ needsConsent }) => needsConsent);
    return wait(
      "DatabaseBusy",
      busy
        .map(({ name, status, waitingFor }) => `database "${name}" is ${status}${waitingFor && ` (${waitingFor})`}`)
        .join(", "),
      asksConsent
        ? `bring the node or its volume back, or agree to what is gone: ${patchCluster(rec, { clusterRecovery: true })}`
        : `the roll goes on once every database is active; ${LOOK}`,
    );
  },
});

export const noActionRuns = defineCheck({
  id: "ActionRunning",
  asks: "no other change is running",
  at: ["step"],
  needs: ["cluster"],
  find({ view: { name: rec, cluster }, touching }) {
    const own = touching && `node:${uidOf(touching)}`;
    const others = cluster.reachable ? cluster.actions.filter(({ object }) => object !== own) : [];
    if (others.length === 0) return undefined;
    const left = others.find(({ name, object }) => name === "maintenance_on" && object.startsWith("node:"));
    return wait(
      "ActionRunning",
      `running: ${others.map(({ name, object }) => `${name} of ${object}`).join(", ")}`,
      left === undefined
        ? `the roll goes on once it ends; ${LOOK}`
        : `the roll goes on once it ends; to end it now: ${endMaintenance(rec, Number(left.object.slice("node:".length)))}`,
    );
  },
});

/** The replica on the node that is touched may be the only copy that is left, and about to take over. */
export const primariesServe = defineCheck({
  id: "PrimaryAway",
  asks: "every primary serves",
  at: ["step"],
  needs: ["cluster"],
  find(input) {
    const away = databasesElsewhere(input, ({ primary, inSync }) => primary && !inSync);
    if (away.length === 0) return undefined;
    return wait(
      "PrimaryAway",
      `no primary serves: ${away.map(({ name, waitingFor }) => `"${name}"${waitingFor && ` (${waitingFor})`}`).join(", ")}`,
      `the roll goes on once it serves again or a replica has taken over; ${LOOK}`,
    );
  },
});

/** Replicas on the touched node do not count: they are no reason to leave that node as it is. */
export const replicasAreInSync = defineCheck({
  id: "ReplicaNotInSync",
  asks: "every replica is in sync",
  at: ["step"],
  needs: ["cluster"],
  find(input) {
    const late = databasesElsewhere(input, ({ primary, inSync }) => !primary && !inSync);
    if (late.length === 0) return undefined;
    return wait(
      "ReplicaNotInSync",
      `a replica is behind in: ${quotedNames(late)}`,
      `the roll goes on once it has caught up; ${LOOK}`,
    );
  },
});

/** Every pod but the one that is touched. */
function othersOf({ view, touching }: CheckInput): readonly NodePod[] {
  return view.pods.filter(({ ordinal }) => ordinal !== touching?.ordinal);
}

function databasesElsewhere(
  { view: { cluster }, touching }: CheckInput,
  claim: (instance: Instance) => boolean,
): readonly ClusterDatabase[] {
  const here = touching && uidOf(touching);
  if (!cluster.reachable) return [];
  return cluster.databases.filter(({ instances }) => instances.some((one) => one.node !== here && claim(one)));
}

/** A cluster that had all its nodes once and lost most of them. A caller that may not ask it knows nothing of that. */
export const mostNodesAreActive = defineCheck({
  id: "QuorumLost",
  asks: "most nodes are active",
  at: ["plan"],
  needs: [],
  find({ view }) {
    const { name, remembered, cluster, workload } = view;
    const isUnknown = !cluster.reachable && cluster.cause !== undefined;
    if (remembered.version === undefined || isUnknown || !hasLostMajority(view)) return undefined;
    return block(
      "QuorumLost",
      `${activePods(view).length} of ${workload?.replicas ?? 0} nodes are active`,
      `see why the others are away (${getNodePods()}); when they do not come back: ${patchCluster(name, { clusterRecovery: true })}`,
    );
  },
});
