import type { Pod } from "kubernetes-types/core/v1.js";
import type { Clock } from "../../../../controller-kit/src/base/clock.ts";
import { isFault } from "../../../../controller-kit/src/base/fault.ts";
import type { Log } from "../../../../controller-kit/src/base/log.ts";
import { Nodes, Pods } from "../../../../controller-kit/src/kube/builtin.ts";
import { eventRecorder } from "../../../../controller-kit/src/kube/events.ts";
import { faults } from "../../../../controller-kit/src/kube/faults.ts";
import type { Informer } from "../../../../controller-kit/src/kube/informer.ts";
import type { Kube, Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { isOver } from "../../../../controller-kit/src/kube/pods.ts";
import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";

/** What binding pods to the one node of this world needs. */
export interface SchedulerDeps {
  readonly kube: Kube;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const RETRY_MS = 1_000;

/**
 * Binds each pod that has no node to `nodeName`, unless that is cordoned or lacks a label that the pod selects; what would
 * spread pods over nodes is passed over, since there is only this one.
 */
export function bindPods(pods: Informer<Pod>, deps: SchedulerDeps): void {
  const events = eventRecorder(deps.kube, { component: "default-scheduler", clock: deps.clock, log: deps.log });
  const underWay = new Set<string>();
  const consider = async (pod: Stored<Pod>): Promise<void> => {
    if (!isUnbound(pod) || underWay.has(pod.metadata.uid) || deps.signal.aborted) return;
    underWay.add(pod.metadata.uid);
    try {
      const objection = await objectionTo(pod, deps);
      if (objection !== undefined) {
        if (await sayUnschedulable(pod, objection, deps)) events.record(pod, "Warning", "FailedScheduling", objection);
        retry(pod);
      } else if (await bind(pod, deps)) {
        events.record(pod, "Normal", "Scheduled", `Successfully assigned ${nameOf(pod)} to ${deps.nodeName}`);
      }
    } catch (error) {
      deps.log.warn("pod could not be bound", { pod: nameOf(pod), error });
      retry(pod);
    } finally {
      underWay.delete(pod.metadata.uid);
    }
  };
  const retry = (pod: Stored<Pod>): void => {
    const { name, namespace = "default" } = pod.metadata;
    void deps.clock.sleep(RETRY_MS, deps.signal).then(
      () => consider(pods.get({ name, namespace }) ?? pod),
      () => undefined, // shutting down
    );
  };
  pods.onChange((_ref, pod) => {
    if (pod !== undefined) void consider(pod);
  });
}

function isUnbound(pod: Stored<Pod>): boolean {
  const { metadata, spec } = pod;
  const isGated = (spec?.schedulingGates ?? []).length > 0;
  return (spec?.nodeName ?? "") === "" && metadata.deletionTimestamp === undefined && !isGated && !isOver(pod);
}

/** Why the pod does not fit this world's node, in the words of a real scheduler. */
async function objectionTo({ spec }: Stored<Pod>, { kube, nodeName }: SchedulerDeps): Promise<string | undefined> {
  const node = await kube.get(Nodes, { name: nodeName });
  if (node?.spec?.unschedulable === true) return "0/1 nodes are available: 1 node(s) were unschedulable.";
  const selected = Object.entries(spec?.nodeSelector ?? {});
  const fits = selected.every(([label, value]) => node?.metadata.labels?.[label] === value);
  return fits ? undefined : "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
}

/** Writes the condition; false when it says so already. */
async function sayUnschedulable(pod: Stored<Pod>, message: string, { kube, clock }: SchedulerDeps): Promise<boolean> {
  const said = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (said?.status === "False" && said.message === message) return false;
  const { name, namespace = "default" } = pod.metadata;
  const statement = { type: "PodScheduled", status: "False", reason: "Unschedulable", message } as const;
  const condition = { ...statement, lastTransitionTime: timestamp(clock.now()) };
  const body = { status: { conditions: [condition] } };
  await kube.patch(Pods, { name, namespace }, { type: "strategic", body }, { subresource: "status" });
  return true;
}

/** False when the pod is gone or is bound already. */
async function bind({ metadata }: Stored<Pod>, { kube, nodeName }: SchedulerDeps): Promise<boolean> {
  const { name, namespace = "default", uid } = metadata;
  const binding = {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name, namespace, uid },
    target: { apiVersion: "v1", kind: "Node", name: nodeName },
  };
  try {
    await kube.raw("POST", `/api/v1/namespaces/${namespace}/pods/${name}/binding`, binding);
    return true;
  } catch (error) {
    if (isFault(error, faults.conflict) || isFault(error, faults.notFound)) return false;
    throw error;
  }
}

function nameOf({ metadata }: Stored<Pod>): string {
  return `${metadata.namespace ?? "default"}/${metadata.name}`;
}
