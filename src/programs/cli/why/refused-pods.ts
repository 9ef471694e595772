import type { WhyAnswer } from "./answer.ts";
import type { WarningEvent } from "./answers.ts";

/** Adds to the answer that node pods of `cluster` are missing what the StatefulSet controller last said of it. `events`: the newest first. */
export function withRefusal(answer: WhyAnswer, cluster: string, events: readonly WarningEvent[]): WhyAnswer {
  if (answer.rule !== "PodMissing") return answer;
  const refusal = events.find(
    ({ kind, name, reason }) => kind === "StatefulSet" && name === cluster && reason === "FailedCreate",
  );
  if (refusal === undefined) return answer;
  const { message, last } = refusal;
  return { ...answer, evidence: `${answer.evidence}; last event of the StatefulSet (${last}): ${message}` };
}
