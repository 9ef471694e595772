import { isTrue } from "./conditions.ts";

/** What is read of a pod here. */
export interface PodState {
  readonly status?: { readonly phase?: string; readonly conditions?: Parameters<typeof isTrue>[0] };
}

/** Whether a pod has run to its end: it never runs again. */
export function isOver({ status }: PodState): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Whether a pod has the condition Ready. */
export function isReady({ status }: PodState): boolean {
  return isTrue(status?.conditions, "Ready");
}
