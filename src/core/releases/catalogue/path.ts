import { compareVersionText } from "../../base/version.ts";
import { CATALOGUE, FORBIDDEN_STEPS } from "./catalogue.ts";
import type { Release } from "./release.ts";

/** Why a step between two releases is not possible; `via` names a release to go through first, where one helps. */
export interface PathProblem {
  readonly reason: "Downgrade" | "BelowMinimum" | "ForbiddenStep";
  readonly message: string;
  readonly via?: string;
}

/** Undefined when a cluster of release `from` may be upgraded to `to` in one step (§9). */
export function pathProblem(from: Release, to: Release): PathProblem | undefined {
  if (newer(from.operator, to.operator)) {
    return {
      reason: "Downgrade",
      message: `${to.operator} is older than ${from.operator}, and clusters never go back`,
    };
  }
  if (to.minFrom !== undefined && newer(to.minFrom, from.operator)) {
    const message = `${to.operator} can be reached from ${to.minFrom} or later, and this cluster is at ${from.operator}`;
    return { reason: "BelowMinimum", message, ...between(from, to) };
  }
  if (isForbidden(from, to)) {
    const message = `the step from ${from.operator} to ${to.operator} is known to fail`;
    return { reason: "ForbiddenStep", message, ...between(from, to) };
  }
  return undefined;
}

function between(from: Release, to: Release): { via?: string } {
  const intermediate = CATALOGUE.toReversed().find(
    (release) =>
      newer(release.operator, from.operator) &&
      newer(to.operator, release.operator) &&
      pathProblem(from, release) === undefined &&
      pathProblem(release, to) === undefined,
  );
  return intermediate === undefined ? {} : { via: intermediate.operator };
}

function isForbidden(from: Release, to: Release): boolean {
  return FORBIDDEN_STEPS.some((step) => step.from === from.operator && step.to === to.operator);
}

function newer(a: string, b: string): boolean {
  return (compareVersionText(a, b) ?? 0) > 0;
}
