import type { ContainerState, ContainerStateTerminated, ContainerStatus } from "kubernetes-types/core/v1.js";
import { constants } from "node:os";
import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";
import type { Exit } from "../../../../controller-kit/src/processes/child.ts";

/** When a container that has ended is started again. */
export type RestartPolicy = "Always" | "OnFailure" | "Never";

/** The policy that a pod spells; Always unless it says otherwise. */
export function restartPolicyOf(spec: { readonly restartPolicy?: string } | undefined): RestartPolicy {
  const policy = spec?.restartPolicy;
  return policy === "OnFailure" || policy === "Never" ? policy : "Always";
}

/** Whether a container that ended so is to run again. */
export function mayRestart(policy: RestartPolicy, { exitCode }: ContainerStateTerminated): boolean {
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

/** How an exit shows in the status; death by a signal is 128 and its number, as shells say it. */
export function terminatedState(exit: Exit, containerID: string, startedAt: Date, now: Date): ContainerStateTerminated {
  const signal = exit.signal === undefined ? 0 : constants.signals[exit.signal];
  const exitCode = exit.code ?? 128 + signal;
  return {
    exitCode,
    reason: exitCode === 0 ? "Completed" : "Error",
    startedAt: timestamp(startedAt),
    finishedAt: timestamp(now),
    containerID,
  };
}

/** The end of a run that was not observed: its process ended with an earlier kubelet. */
export function lostRun(status: ContainerStatus, now: Date): ContainerStateTerminated | undefined {
  const running = status.state?.running;
  if (running === undefined) return undefined;
  return {
    exitCode: 137,
    reason: "ContainerStatusUnknown",
    message: "the process ended together with the kubelet that ran it",
    ...(running.startedAt === undefined ? {} : { startedAt: running.startedAt }),
    finishedAt: timestamp(now),
    ...(status.containerID === undefined ? {} : { containerID: status.containerID }),
  };
}

/** What a status shows before the container's first start. */
export function waitingState(reason: string, message = ""): ContainerState {
  return { waiting: message === "" ? { reason } : { reason, message } };
}
