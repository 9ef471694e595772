import { describeObject, resumeRollout, scaleDeployment, undoRollout } from "../../api/kubectl.ts";
import { removeFinalizers } from "../view/overdue.ts";
import type { OperatorFacts } from "./environment.ts";
import { OPERATOR_NAME } from "../../api/names.ts";
import { imageTagOf } from "../../releases/catalogue/images.ts";
import { releaseByOperator } from "../../releases/catalogue/find.ts";

/**
 * The remedy for an operator that is not ready: one that was paused goes on, one that was scaled away gets a pod again, an operator of a release that does not exist goes back
 * to the release before, and what keeps one that is being deleted goes once it has no pod that would remove it.
 */
export function unreadyOperatorRemedy({ image, wanted, leaving, paused }: Omit<OperatorFacts, "ready">): string {
  if (leaving === true) {
    const kept = ["deployment", "serviceaccount"].map((kind) => removeFinalizers(kind, OPERATOR_NAME));
    return `when it does not end: ${kept.join("; ")}`;
  }
  const tag = imageTagOf(image);
  if (tag !== "" && releaseByOperator(tag) === undefined) {
    const back = undoRollout(OPERATOR_NAME);
    // kubectl takes no Deployment back that is paused
    return paused === undefined ? back : `${resumeRollout(OPERATOR_NAME)} && ${back}`;
  }
  if (paused === "behind") return resumeRollout(OPERATOR_NAME);
  const isScaledAway = image !== "" && wanted === 0;
  return isScaledAway ? scaleDeployment(OPERATOR_NAME, 1) : describeObject(`deployment/${OPERATOR_NAME}`);
}

/** What is wrong with a Deployment that is paused; it holds something up once its template has changed. */
export function pausedText({ image, paused }: Pick<OperatorFacts, "image" | "paused">): string | undefined {
  if (paused === undefined) return undefined;
  const effect = paused === "behind" ? "no pod of this image is made" : "no pod of another image would be made";
  return `deployment/${OPERATOR_NAME} (${image}) is paused: ${effect}`;
}
