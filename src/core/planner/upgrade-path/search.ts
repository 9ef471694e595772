import { STORE_VERSIONS } from "../../api/records.ts";
import { compareVersionText } from "#kit/base/version";
import { CATALOGUE } from "../../releases/catalogue/catalogue.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import { nextMinor, refusal } from "./refusal.ts";
import { stateAfter, isOlder, versionsAt, type Goal, type PathFacts, type PathState, type Move } from "./state.ts";

/** A move that is missing between a place and the goal, and why. */
export interface MissingEdge {
  /** The place: operator, cluster, Kubernetes. */
  readonly at: string;
  readonly move: string;
  readonly why: string;
}

export type Found =
  | { readonly found: true; readonly moves: readonly Move[] }
  | { readonly found: false; readonly missing: readonly MissingEdge[] };

interface Trail {
  readonly state: PathState;
  readonly moves: readonly Move[];
}

/** The fewest moves from `start` to the goal; without a way, what is missing at the places that come nearest. */
export function shortestWay(start: PathState, target: Release, goal: Goal, facts: PathFacts): Found {
  const seen = new Map([[keyOf(start), start]]);
  const queue: Trail[] = [{ state: start, moves: [] }];
  for (const { state, moves } of queue) {
    if (isReached(state, target, goal, facts)) return { found: true, moves };
    for (const move of movesAt(state, target, goal)) {
      const next = stateAfter(state, move);
      if (seen.has(keyOf(next)) || refusal(state, move, facts) !== undefined) continue;
      seen.set(keyOf(next), next);
      queue.push({ state: next, moves: [...moves, move] });
    }
  }
  return { found: false, missing: missingAt(nearest([...seen.values()]), target, goal, facts) };
}

/** Whether a place is where the plan shall end. */
export function isReached(state: PathState, target: Release, goal: Goal, facts: PathFacts): boolean {
  const { kubernetes, databases } = goal;
  return (
    state.operator.operator === target.operator &&
    state.cluster.operator === target.operator &&
    (kubernetes === undefined || (state.kubernetes !== undefined && !isOlder(state.kubernetes, kubernetes))) &&
    (databases === undefined || versionsAt(state, facts).every((version) => !isOlder(version, databases)))
  );
}

/** What may be tried at a place, the farthest operator first; `refusal` has the last word on each. */
export function movesAt(state: PathState, target: Release, goal: Goal): readonly Move[] {
  const minor = state.kubernetes === undefined ? (goal.kubernetes ?? "") : nextMinor(state.kubernetes);
  const releases = CATALOGUE.filter(
    ({ operator }) => isOlder(state.operator.operator, operator) && !isOlder(target.operator, operator),
  ).toSorted((a, b) => compareVersionText(b.operator, a.operator) ?? 0);
  const { databases = STORE_VERSIONS.at(-1) ?? "" } = goal;
  const versions = new Set([...STORE_VERSIONS.filter((version) => !isOlder(databases, version)), databases]);
  return [
    { stage: "cluster", to: state.operator },
    ...releases.map((to) => ({ stage: "operator", to }) as const),
    ...(minor === "" ? [] : [{ stage: "kubernetes", to: minor } as const]),
    ...[...versions].map((to) => ({ stage: "databases", to }) as const),
  ];
}

function keyOf({ operator, cluster, kubernetes, floor }: PathState): string {
  return [operator.operator, cluster.operator, kubernetes ?? "", floor].join("|");
}

/** The states that are farthest on, of those that were reached. */
function nearest(states: readonly PathState[]): PathState[] {
  const order = (a: PathState, b: PathState): number =>
    (compareVersionText(b.cluster.operator, a.cluster.operator) ?? 0) ||
    (compareVersionText(b.kubernetes ?? "0.0", a.kubernetes ?? "0.0") ?? 0) ||
    (compareVersionText(b.floor, a.floor) ?? 0);
  return states.toSorted(order).slice(0, 1);
}

function missingAt(
  places: readonly PathState[],
  target: Release,
  goal: Goal,
  facts: PathFacts,
): readonly MissingEdge[] {
  return places.flatMap((state) =>
    movesAt(state, target, goal)
      .filter((move) => move.stage !== "operator" || move.to.operator === target.operator)
      .filter((move) => move.stage !== "cluster" || state.cluster.operator !== state.operator.operator)
      // with only the databases left to be raised, the version of Kubernetes does not matter
      .filter((move) => move.stage !== "kubernetes" || !isReached(state, target, { ...goal, databases: "" }, facts))
      .filter((move) => move.stage !== "databases" || move.to === goal.databases)
      .flatMap((move) => {
        const why = refusal(state, move, facts);
        return why === undefined ? [] : [{ at: placeOf(state), move: nameOf(move), why }];
      }),
  );
}

function placeOf({ operator, cluster, kubernetes }: PathState): string {
  const where = kubernetes === undefined ? "" : ` on Kubernetes ${kubernetes}`;
  return `operator ${operator.operator}, cluster ${cluster.nodeTag}${where}`;
}

function nameOf(move: Move): string {
  return typeof move.to === "string" ? `${move.stage} to ${move.to}` : `${move.stage} to ${move.to.operator}`;
}
