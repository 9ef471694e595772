import { admitByQuota } from "../../../core/planner/prerequisites/exceeded-quota.ts";
import type { WhyAnswer } from "./answer.ts";
import type { WarningEvent } from "./answers.ts";

/** Adds to the answer that node pods of `cluster` are missing what the StatefulSet controller last said of it, and what ends that. `events`: the newest first. */
export function withRefusal(answer: WhyAnswer, cluster: string, events: readonly WarningEvent[]): WhyAnswer {
  if (answer.rule !== "PodMissing") return answer;
  const refusal = events.find(
    ({ kind, name, reason }) => kind === "StatefulSet" && name === cluster && reason === "FailedCreate",
  );
  if (refusal === undefined) return answer;
  const { message, last } = refusal;
  const evidence = `${answer.evidence}; last event of the StatefulSet (${last}): ${message}`;
  return { ...answer, evidence, clears: admitByQuota(message) ?? answer.clears };
}
