import { parseVersion } from "#kit/base/version";
import { CATALOGUE } from "../../releases/catalogue/catalogue.ts";
import { releaseByNodeTag, releaseByOperator } from "../../releases/catalogue/find.ts";
import { pathProblem } from "../../releases/catalogue/path.ts";
import { describeMove } from "./describe.ts";
import { preparedAfter, UNPREPARED } from "./modules.ts";
import type { PlanStep } from "./step.ts";
import { shortestWay, type MissingEdge } from "./search.ts";
import { stateAfter, type Goal, type PathFacts, type PathState, type Move } from "./state.ts";

/** The shortest safe way to a release, or what is missing on it. */
export type UpgradePath =
  | { readonly possible: true; readonly steps: readonly PlanStep[]; readonly moves: readonly Move[] }
  | { readonly possible: false; readonly missing: readonly MissingEdge[] };

/**
 * Plans operator, cluster, Kubernetes, modules and databases from what was found to the goal. Each step is allowed where it
 * is taken, and no plan has fewer moves. An unknown version is an answer, never a failure.
 */
export function planUpgradePath(facts: PathFacts, goal: Goal): UpgradePath {
  const operator = releaseByOperator(facts.operator);
  const cluster = releaseByNodeTag(facts.nodeTag);
  const target = releaseByOperator(goal.release);
  if (operator === undefined) return unknownRelease("the operator's version", facts.operator);
  if (cluster === undefined) return unknownRelease("the cluster's node tag", facts.nodeTag);
  if (target === undefined) return unknownRelease("the release asked for", goal.release);
  const strange = [goal.kubernetes, goal.databases].find((text) => text !== undefined && !parseVersion(text));
  if (strange !== undefined) return unknownRelease("the version asked for", strange);
  const start: PathState = { operator, cluster, kubernetes: facts.kubernetes, floor: "" };
  const back = pathProblem(operator, target);
  if (back?.reason === "Downgrade") {
    return {
      possible: false,
      missing: [{ at: operator.operator, move: `operator to ${target.operator}`, why: back.message }],
    };
  }
  const way = shortestWay(start, target, goal, facts);
  if (!way.found) return { possible: false, missing: way.missing };
  return { possible: true, moves: way.moves, steps: describeMoves(start, way.moves, facts) };
}

function describeMoves(start: PathState, moves: readonly Move[], facts: PathFacts): readonly PlanStep[] {
  const steps: PlanStep[] = [];
  let state = start;
  let prepared = UNPREPARED;
  for (const move of moves) {
    for (const each of describeMove(state, move, facts, prepared)) steps.push(each);
    prepared = preparedAfter(state, move, facts, prepared);
    state = stateAfter(state, move);
  }
  return steps;
}

function unknownRelease(what: string, text: string): UpgradePath {
  const known = CATALOGUE.map(({ operator }) => operator).join(", ");
  const why = `${what}, "${text}", is not in the catalogue, which knows ${known}`;
  return { possible: false, missing: [{ at: "the start", move: `release ${text}`, why }] };
}
