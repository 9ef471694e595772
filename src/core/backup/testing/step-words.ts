import type { Finding } from "../../api/parts.ts";
import type { Step } from "../../planner/findings/step.ts";

type RunAct = { readonly kind: string } | { readonly kind: "fail"; readonly finding: Finding };

/** What a table says of a step: the act, or that it waits or rests, and the id of the finding behind it. */
export function stepWords(step: Step<RunAct>): readonly [kind: string, id: string] {
  if (step.kind === "rest") return ["rest", ""];
  if (step.kind === "wait") return ["wait", step.wait.id];
  return [step.act.kind, "finding" in step.act ? step.act.finding.id : ""];
}
