import { compareVersionText, parseVersion } from "#kit/base/version";
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
  const problem = objectionTo(from, to);
  if (problem === undefined || problem.reason === "Downgrade") return problem;
  const intermediate = CATALOGUE.findLast(
    (release) =>
      newer(release.operator, from.operator) &&
      newer(to.operator, release.operator) &&
      objectionTo(from, release) === undefined &&
      objectionTo(release, to) === undefined,
  );
  return intermediate === undefined ? problem : { ...problem, via: intermediate.operator };
}

/**
 * What is certain about a step from a node tag that is in no release, by its X.Y.Z alone: builds of node tags and of operators are counted
 * apart. Undefined when nothing is certain.
 */
export function unknownPathProblem(fromTag: string, to: Release): PathProblem | undefined {
  const line = lineOf(fromTag);
  if (line === undefined) return undefined;
  if (newer(line, lineOf(to.operator) ?? line)) {
    const message = `${to.operator} is older than the nodes, which run ${fromTag}, and clusters never go back`;
    return { reason: "Downgrade", message };
  }
  if (to.minFrom === undefined || !newer(lineOf(to.minFrom) ?? line, line)) return undefined;
  const message = `${to.operator} can be reached from ${to.minFrom} or later, and the nodes run ${fromTag}`;
  return { reason: "BelowMinimum", message, via: to.minFrom };
}

/** `7.2.4` of `7.2.4-105`; undefined when the text is no version. */
function lineOf(text: string): string | undefined {
  const version = parseVersion(text);
  return version && `${version.major}.${version.minor}.${version.patch}`;
}

function objectionTo(from: Release, to: Release): PathProblem | undefined {
  if (newer(from.operator, to.operator)) {
    return {
      reason: "Downgrade",
      message: `${to.operator} is older than ${from.operator}, and clusters never go back`,
    };
  }
  if (to.minFrom !== undefined && newer(to.minFrom, from.operator)) {
    const message = `${to.operator} can be reached from ${to.minFrom} or later, and this cluster is at ${from.operator}`;
    return { reason: "BelowMinimum", message };
  }
  if (!isForbidden(from, to)) return undefined;
  return { reason: "ForbiddenStep", message: `the step from ${from.operator} to ${to.operator} is known to fail` };
}

function isForbidden(from: Release, to: Release): boolean {
  return FORBIDDEN_STEPS.some((step) => step.from === from.operator && step.to === to.operator);
}

function newer(a: string, b: string): boolean {
  return (compareVersionText(a, b) ?? 0) > 0;
}
