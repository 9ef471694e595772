import { selects } from "../../../../controller-kit/src/kube/selector.ts";
import { listAt, mapAt, textAt, textsAt } from "./json.ts";

/** True when the LabelSelector in a field of an object selects these labels; an absent one selects everything. */
export function matchesLabelSelector(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  const matchExpressions = listAt(selector, "matchExpressions").map((expression) => ({
    key: textAt(expression, "key"),
    operator: textAt(expression, "operator"),
    values: textsAt(expression, "values"),
  }));
  return selects({ matchLabels: mapAt(selector, "matchLabels"), matchExpressions }, labels);
}
