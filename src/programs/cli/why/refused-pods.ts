import { OPERATOR_NAME } from "../../../core/api/names.ts";
import { admitByQuota, isOfQuota, type Quota } from "../../../core/planner/prerequisites/exceeded-quota.ts";
import type { ClusterView } from "../../../core/planner/view/cluster-view.ts";
import type { WhyAnswer } from "./answer.ts";
import type { WarningEvent } from "./answers.ts";

/** What is known about pods that are missing. */
interface Known {
  readonly view: ClusterView;
  /** The newest first. */
  readonly events: readonly WarningEvent[];
  /** Of the namespace, now; absent where they were not read. */
  readonly quotas: readonly Quota[] | undefined;
}

/** Adds to the answer that pods are missing what their controller last said of it, and what ends that: an event stays when its cause is gone. */
export function withRefusal(answer: WhyAnswer, { view, events, quotas }: Known): WhyAnswer {
  const refusal = lastRefusal(answer, view.name, events);
  if (refusal === undefined) return answer;
  const { message, kind, last } = refusal;
  const evidence = `${answer.evidence}; last event of the ${kind} (${last}): ${message}`;
  const remedy = admitByQuota(message, {
    ...(quotas && { quotas }),
    ...(kind === "StatefulSet" && { nodesOf: view, requests: missingOf(view) }),
  });
  if (remedy !== undefined || !isOfQuota(message)) return { ...answer, evidence, clears: remedy ?? answer.clears };
  return { ...answer, evidence: `${evidence}; the quota admits it now, and it is tried again within some minutes` };
}

/** The last event of the controller that would make the pods which the answer misses; undefined of any other answer. */
export function lastRefusal(
  answer: WhyAnswer,
  cluster: string,
  events: readonly WarningEvent[],
): WarningEvent | undefined {
  return events.find((event) => event.reason === "FailedCreate" && isOf(answer, event, cluster));
}

/** The controller that would make the pods that the answer misses. */
function isOf({ rule }: WhyAnswer, { kind, name }: WarningEvent, cluster: string): boolean {
  if (rule === "PodMissing") return kind === "StatefulSet" && name === cluster;
  return rule === "OperatorNotReady" && kind === "ReplicaSet" && name.startsWith(`${OPERATOR_NAME}-`);
}

function missingOf({ workload, pods }: ClusterView): number {
  return Math.max(1, (workload?.replicas ?? 0) - pods.length);
}
