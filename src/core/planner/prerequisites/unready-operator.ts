import { describeObject, undoRollout } from "../../api/kubectl.ts";
import { removeFinalizers } from "../view/overdue.ts";
import type { OperatorFacts } from "./environment.ts";
import { OPERATOR_NAME } from "../../api/names.ts";
import { imageTagOf } from "../../releases/catalogue/images.ts";
import { releaseByOperator } from "../../releases/catalogue/find.ts";

/**
 * The remedy for an operator that is not ready: an operator of a release that does not exist goes back to the release before, and what keeps one
 * that is being deleted goes once it has no pod that would remove it.
 */
export function unreadyOperatorRemedy({ image, leaving }: Pick<OperatorFacts, "image" | "leaving">): string {
  if (leaving === true) {
    const kept = ["deployment", "serviceaccount"].map((kind) => removeFinalizers(kind, OPERATOR_NAME));
    return `when it does not end: ${kept.join("; ")}`;
  }
  const tag = imageTagOf(image);
  const isUnknown = tag !== "" && releaseByOperator(tag) === undefined;
  return isUnknown ? undoRollout(OPERATOR_NAME) : describeObject(`deployment/${OPERATOR_NAME}`);
}
