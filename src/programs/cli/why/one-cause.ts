import { missingRecordsOf } from "../../../core/planner/view/missing-records.ts";
import type { ClusterView } from "../../../core/planner/view/cluster-view.ts";
import type { WhyAnswer } from "./answer.ts";

/** Each cause once: a finding of a check that the status lists too, and what follows from a cause that is said of the same object, are left out. */
export function withoutEffects(answers: readonly WhyAnswer[], view: ClusterView): readonly WhyAnswer[] {
  const isSaid = (object: string, rule: string): boolean =>
    answers.some((one) => one.object === object && one.rule === rule);
  const isFirst = ({ object, rule }: WhyAnswer, index: number): boolean =>
    answers.findIndex((one) => one.object === object && one.rule === rule) === index;
  const isEffect = ({ object, rule }: WhyAnswer): boolean => {
    if (rule === "NotThere") return isSaid(object, "RecordMissing");
    if (rule !== "RecordMissing" || object !== `rec/${view.name}`) return false;
    const missing = missingRecordsOf(view);
    return missing.length > 0 && missing.every(({ name }) => isSaid(`redb/${name}`, rule));
  };
  return answers.filter((one, index) => isFirst(one, index) && !isEffect(one));
}
