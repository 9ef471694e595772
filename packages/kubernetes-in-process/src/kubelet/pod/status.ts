import type { ContainerStatus, Pod, PodCondition, PodSpec, PodStatus } from "kubernetes-types/core/v1.js";
import { isTrue, withCondition } from "../../../../controller-kit/src/kube/conditions.ts";
import type { Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";
import { mayRestart, restartPolicyOf } from "../container/state.ts";

/** What the kubelet has seen of a pod. */
export interface PodObservation {
  readonly podIP: string | undefined;
  readonly hostIP: string;
  readonly startedAt: Date;
  readonly init: readonly ContainerStatus[];
  readonly containers: readonly ContainerStatus[];
}

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed";

/** The pod's status as observed; conditions that others write are kept. */
export function podStatus(pod: Stored<Pod>, seen: PodObservation, now: Date): PodStatus {
  const phase = phaseOf(pod.spec, seen);
  return {
    phase,
    conditions: conditionsOf(pod, seen, phase, now),
    hostIP: seen.hostIP,
    hostIPs: [{ ip: seen.hostIP }],
    ...(seen.podIP === undefined ? {} : { podIP: seen.podIP, podIPs: [{ ip: seen.podIP }] }),
    startTime: pod.status?.startTime ?? timestamp(seen.startedAt),
    ...(seen.init.length === 0 ? {} : { initContainerStatuses: [...seen.init] }),
    containerStatuses: [...seen.containers],
    qosClass: qosClassOf(pod.spec),
  };
}

function phaseOf(spec: PodSpec | undefined, { init, containers }: PodObservation): PodPhase {
  const policy = restartPolicyOf(spec);
  const initFailed = init.some(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0 && policy === "Never");
  if (initFailed) return "Failed";
  const ends = containers.map(({ state }) => state?.terminated).filter((end) => end !== undefined);
  const isFinal = ends.length === containers.length && ends.every((end) => !mayRestart(policy, end));
  if (isFinal) return ends.every(({ exitCode }) => exitCode === 0) ? "Succeeded" : "Failed";
  const neverRan = ({ state, lastState }: ContainerStatus): boolean =>
    state?.waiting !== undefined && lastState?.terminated === undefined;
  return containers.some(neverRan) ? "Pending" : "Running";
}

function conditionsOf(pod: Stored<Pod>, seen: PodObservation, phase: PodPhase, now: Date): PodCondition[] {
  const own = [
    { type: "PodReadyToStartContainers", ...claim(seen.podIP !== undefined) },
    initializedCondition(seen, phase),
    ready("Ready", containersVerdict(seen, phase) ?? gatesVerdict(pod)),
    ready("ContainersReady", containersVerdict(seen, phase)),
    { type: "PodScheduled", ...claim(true) },
  ];
  return own.reduce<PodCondition[]>((list, next) => withCondition(list, next, now), pod.status?.conditions ?? []);
}

type Verdict = { readonly reason: string; readonly message?: string } | undefined;

function claim(holds: boolean): { status: "True" | "False" } {
  return { status: holds ? "True" : "False" };
}

function ready(type: string, objection: Verdict): PodCondition {
  return { type, ...claim(objection === undefined), ...objection };
}

function initializedCondition({ init }: PodObservation, phase: PodPhase): PodCondition {
  const missing = init.filter(({ state }) => state?.terminated?.exitCode !== 0).map(({ name }) => name);
  if (missing.length === 0)
    return { type: "Initialized", ...claim(true), ...(phase === "Succeeded" ? { reason: "PodCompleted" } : {}) };
  return {
    type: "Initialized",
    ...claim(false),
    reason: "ContainersNotInitialized",
    message: `containers with incomplete status: [${missing.join(" ")}]`,
  };
}

/** Why the containers are not ready; undefined when they are. */
function containersVerdict({ containers }: PodObservation, phase: PodPhase): Verdict {
  if (phase === "Succeeded") return { reason: "PodCompleted" };
  if (phase === "Failed") return { reason: "PodFailed" };
  const unready = containers.filter((container) => !container.ready).map(({ name }) => name);
  if (unready.length === 0) return undefined;
  return { reason: "ContainersNotReady", message: `containers with unready status: [${unready.join(" ")}]` };
}

/** Why the readiness gates hold the pod back; undefined when all are open. */
function gatesVerdict({ spec, status }: Stored<Pod>): Verdict {
  const closed = (spec?.readinessGates ?? []).filter(({ conditionType }) => !isTrue(status?.conditions, conditionType));
  const [first] = closed;
  if (first === undefined) return undefined;
  const isSet = status?.conditions?.some(({ type }) => type === first.conditionType) === true;
  const message = isSet
    ? `the status of pod readiness gate "${first.conditionType}" is not "True", but False`
    : `corresponding condition of pod readiness gate "${first.conditionType}" does not exist.`;
  return { reason: "ReadinessGatesNotReady", message };
}

function qosClassOf(spec: PodSpec | undefined): "Guaranteed" | "Burstable" | "BestEffort" {
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ resources }) => resources ?? {});
  const isEmpty = all.every(({ limits = {}, requests = {} }) =>
    [limits, requests].every((map) => Object.keys(map).length === 0),
  );
  if (isEmpty) return "BestEffort";
  const isFull = all.every(({ limits = {}, requests = limits }) =>
    ["cpu", "memory"].every((name) => limits[name] !== undefined && (requests[name] ?? limits[name]) === limits[name]),
  );
  return isFull ? "Guaranteed" : "Burstable";
}
