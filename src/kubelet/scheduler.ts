import type { Pod } from "kubernetes-types/core/v1.js";
import type { Clock } from "../base/clock.ts";
import { isFault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { eventRecorder } from "../kube/events.ts";
import { faults } from "../kube/faults.ts";
import type { Informer } from "../kube/informer.ts";
import type { Kube, Stored } from "../kube/kube.ts";

/** What binding pods to the one node of this world needs. */
export interface SchedulerDeps {
  readonly kube: Kube;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const RETRY_MS = 1_000;

/** Binds each pod that has no node to `nodeName`, as its spec comes by. */
export function bindPods(pods: Informer<Pod>, deps: SchedulerDeps): void {
  const events = eventRecorder(deps.kube, { component: "default-scheduler", clock: deps.clock, log: deps.log });
  const underWay = new Set<string>();
  const consider = async (pod: Stored<Pod>): Promise<void> => {
    if (!isUnbound(pod) || underWay.has(pod.metadata.uid) || deps.signal.aborted) return;
    underWay.add(pod.metadata.uid);
    try {
      if (await bind(pod, deps))
        events.record(pod, "Normal", "Scheduled", `Successfully assigned ${nameOf(pod)} to ${deps.nodeName}`);
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

function isUnbound({ metadata, spec, status }: Stored<Pod>): boolean {
  const isGated = (spec?.schedulingGates ?? []).length > 0;
  const isOver = status?.phase === "Succeeded" || status?.phase === "Failed";
  return (spec?.nodeName ?? "") === "" && metadata.deletionTimestamp === undefined && !isGated && !isOver;
}

/** False when the pod is gone or somebody else has bound it. */
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
