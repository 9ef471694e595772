import { describeObject, scaleDeployment, undoRollout } from "../../api/kubectl.ts";
import { removeFinalizers } from "../view/overdue.ts";
import type { OperatorFacts } from "./environment.ts";
import { OPERATOR_NAME } from "../../api/names.ts";
import { imageTagOf } from "../../releases/catalogue/images.ts";
import { releaseByOperator } from "../../releases/catalogue/find.ts";

/**
 * The remedy for an operator that is not ready: one that was scaled away gets a pod again, an operator of a release that does not exist goes back
 * to the release before, and what keeps one that is being deleted goes once it has no pod that would remove it.
 */
export function unreadyOperatorRemedy({ image, wanted, leaving }: Omit<OperatorFacts, "ready">): string {
  if (leaving === true) {
    const kept = ["deployment", "serviceaccount"].map((kind) => removeFinalizers(kind, OPERATOR_NAME));
    return `when it does not end: ${kept.join("; ")}`;
  }
  const tag = imageTagOf(image);
  if (tag !== "" && releaseByOperator(tag) === undefined) return undoRollout(OPERATOR_NAME);
  const isScaledAway = image !== "" && wanted === 0;
  return isScaledAway ? scaleDeployment(OPERATOR_NAME, 1) : describeObject(`deployment/${OPERATOR_NAME}`);
}
