import type { Finding } from "../../../core/api/parts.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import { waitFor } from "../../../core/planner/findings/step.ts";
import type { ClusterDecision } from "../../../core/planner/cluster/plan.ts";
import { errorsIn, failureFindings } from "./failures.ts";
import { keepAll, type Kept, type KeptAll } from "./keepers.ts";
import { perform } from "./acts.ts";
import type { OwnershipVerdict } from "./ownership.ts";
import type { ClusterPassDeps } from "./deps.ts";
import { decide } from "./decide.ts";

/** What a pass has done. */
export interface Acted extends Pick<Kept, "userModules"> {
  /** What was done, or is waited for, with all that users are to know of it. */
  readonly decision: ClusterDecision;
  readonly failures: readonly Error[];
}

/**
 * Keeps what is kept, and does the one act. What cannot be kept before the act lets nothing begin and no pod be replaced; nodes that are out of
 * service come back all the same.
 */
export async function actOn(
  deps: ClusterPassDeps,
  observation: ClusterObservation,
  planned: ClusterDecision,
  ownership: OwnershipVerdict,
): Promise<Acted> {
  const facts = { observation, decision: planned, ownership };
  const before = await keepAll(deps, facts, "before the act");
  const unkept = await failureFindings(deps, observation.namespace, before.failures);
  const decision = unkept.length === 0 ? planned : decide(deps, observation, ownership, unkept);
  const failed = await performStep(deps, observation, decision);
  const after = failed.length === 0 ? await keepAll(deps, facts, "after the act") : NOTHING_KEPT;
  const undone = [...failed, ...after.failures];
  const noted = [...(before.findings ?? []), ...(after.findings ?? [])];
  return {
    decision: withFailures(
      { ...decision, findings: [...decision.findings, ...noted] },
      await failureFindings(deps, observation.namespace, undone),
    ),
    failures: [...before.failures, ...undone],
    ...(after.userModules !== undefined && { userModules: after.userModules }),
  };
}

const NOTHING_KEPT: KeptAll = { failures: [] };

/** Does the act of a decision; answers with what failed. */
async function performStep(
  deps: ClusterPassDeps,
  observation: ClusterObservation,
  { step }: ClusterDecision,
): Promise<readonly Error[]> {
  if (step.kind !== "act") return [];
  deps.log.info("performing a step", { cluster: observation.view.name, act: step.act, why: step.why });
  try {
    await perform(deps, observation, step.act);
    return [];
  } catch (error) {
    return errorsIn(error);
  }
}

/** What failed is waited for, and is said once. */
function withFailures(decision: ClusterDecision, failures: readonly Finding[]): ClusterDecision {
  const [first] = failures;
  if (first === undefined) return decision;
  const others = decision.findings.filter(({ id }) => !failures.some((one) => one.id === id));
  return { ...decision, step: waitFor(first), findings: [...failures, ...others] };
}
