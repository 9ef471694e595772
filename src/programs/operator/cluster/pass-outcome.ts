import { isFault } from "#kit/base/fault";
import { faults } from "#kit/kube/faults";
import { findingBehind } from "../../../core/planner/findings/step.ts";
import type { ClusterDecision } from "../../../core/planner/cluster/plan.ts";
import { PERMISSIONS_MISSING } from "../../../core/planner/prerequisites/permissions.ts";
import { lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { noteReported } from "../objects/pass-failure.ts";
import type { ClusterDeps } from "./deps.ts";
import type { Acted } from "./act-on.ts";

/** How often a cluster is looked at, in milliseconds: at rest, and while it changes. */
const REST_MS = 5_000;
const STEP_MS = 300;
/** How often a cluster is checked that waits for a user, for instance for permissions. */
export const FORBIDDEN_MS = 1_000;
export const BLOCKED_MS = 1_000;

/** Of a cluster at which nothing is left to be done. */
export const resting = lookAgain(REST_MS);

/** What cannot be kept is tried again later each time, but holds up no nodes that come back. */
export function outcomeOfFailure({ log }: Pick<ClusterDeps, "log">, { decision, failures }: Acted): Outcome {
  if (failures.every((one) => isFault(one, faults.forbidden))) return lookAgain(FORBIDDEN_MS);
  if (decision.step.kind === "act") {
    log.warn("a pass could not do all that it has to", { failures });
    return lookAgain(BLOCKED_MS);
  }
  const failure = failures.length === 1 ? failures[0] : undefined;
  const thrown = failure ?? new AggregateError(failures, failures.map(({ message }) => message).join("; "));
  noteReported(thrown);
  throw thrown;
}

/** When the cluster is looked at again after a pass. */
export function outcomeOf({ step, findings, change }: ClusterDecision): Outcome {
  const lacking = findings.find(({ id }) => id === PERMISSIONS_MISSING);
  if (lacking !== undefined && step.kind !== "act") return lookAgain(FORBIDDEN_MS);
  const changing = findings.find(({ id }) => id === "RotationWaits");
  if (changing !== undefined && step.kind === "rest") return lookAgain(BLOCKED_MS);
  switch (step.kind) {
    case "act":
      return lookAgain(1);
    case "wait":
      return lookAgain(findingBehind(step) === undefined ? STEP_MS : STEP_MS * 3);
    case "rest": {
      const blocking = findings.find(({ severity }) => severity === "block");
      // the fix may cause no event: a secret, a module server, a licence authority
      return blocking === undefined || change === undefined ? resting : lookAgain(BLOCKED_MS);
    }
  }
}
