import { describeObject, undoRollout } from "../../api/kubectl.ts";
import { OPERATOR_NAME } from "../../api/names.ts";
import { imageTagOf } from "../../releases/catalogue/images.ts";
import { releaseByOperator } from "../../releases/catalogue/find.ts";

/** The remedy for an operator that is not ready: an operator of a release that does not exist goes back to the release before. */
export function unreadyOperatorRemedy(image: string): string {
  const tag = imageTagOf(image);
  const isUnknown = tag !== "" && releaseByOperator(tag) === undefined;
  return isUnknown ? undoRollout(OPERATOR_NAME) : describeObject(`deployment/${OPERATOR_NAME}`);
}
