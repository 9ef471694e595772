import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CATALOGUE } from "../../releases/catalogue/catalogue.ts";
import { releaseByNodeTag, releaseByOperator } from "../../releases/catalogue/find.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import { planUpgradePath } from "./plan.ts";
import { refusal } from "./refusal.ts";
import { isReached, movesAt } from "./search.ts";
import { stateAfter, type Goal, type PathFacts, type PathState } from "./state.ts";

const operators = CATALOGUE.map(({ operator }) => operator);
const minors = Array.from({ length: 13 }, (_one, index) => `1.${25 + index}`);
const versions = ["6.0", "6.2", "7.2", "7.4", "8.0", "8.2"];

/** Half of them could well be somewhere, half are anything. */
const inputs = fc.tuple(fc.constantFrom(...CATALOGUE), fc.boolean()).chain(([from, sane]) =>
  fc.record({
    from: fc.constant(from),
    ahead: sane ? fc.constant(null) : fc.option(fc.constantFrom(...CATALOGUE), { freq: 3 }),
    kubernetes: fc.constantFrom(...(sane ? from.kubernetes.supported : [...minors, undefined])),
    databases: fc.array(fc.constantFrom(...(sane ? ["7.2"] : versions)), { maxLength: 3 }),
    modules: fc.boolean(),
    release: fc.constantFrom(...(sane ? operators.slice(operators.indexOf(from.operator)) : operators)),
    goalKubernetes: fc.option(fc.constantFrom(...minors), { nil: undefined, freq: sane ? 1 : 4 }),
    goalDatabases: fc.option(fc.constantFrom(...versions), { nil: undefined, freq: sane ? 1 : 4 }),
  }),
);
type Drawn = typeof inputs extends fc.Arbitrary<infer T> ? T : never;

function factsOf({ from, ahead, kubernetes, databases, modules }: Drawn): PathFacts {
  return {
    cluster: "rec",
    nodes: 3,
    operator: (ahead ?? from).operator,
    nodeTag: from.nodeTag,
    kubernetes,
    isOpenShift: false,
    databases: databases.map((version, index) => ({
      name: `db-${index}`,
      uid: index + 1,
      version,
      replication: index % 2 === 0,
      hasObject: index !== 1,
      policies: { cluster: modules ? "major" : "latest", database: index === 1 ? "major" : "latest" },
    })),
    modules: modules ? [{ name: "m", databases: ["db-0"] }] : [],
    present: [],
    systemsOf: ({ baseSystems }) => [baseSystems],
    listedModules: [],
    autoUpgrade: modules,
  };
}

function goalOf({ release, goalKubernetes, goalDatabases }: Drawn): Goal {
  return {
    release,
    ...(goalKubernetes === undefined ? {} : { kubernetes: goalKubernetes }),
    ...(goalDatabases === undefined ? {} : { databases: goalDatabases }),
  };
}

function startOf({ operator, nodeTag, kubernetes }: PathFacts): PathState {
  const found = { operator: releaseByOperator(operator), cluster: releaseByNodeTag(nodeTag) };
  assert.ok(found.operator && found.cluster);
  return { operator: found.operator, cluster: found.cluster, kubernetes, floor: "" };
}

function target(release: string): Release {
  const found = releaseByOperator(release);
  assert.ok(found);
  return found;
}

test("each move of a plan is allowed at its place, and the last one reaches the goal", () => {
  let possible = 0;
  fc.assert(
    fc.property(inputs, (drawn) => {
      const facts = factsOf(drawn);
      const goal = goalOf(drawn);
      const plan = planUpgradePath(facts, goal);
      if (!plan.possible) return;
      possible += 1;
      let state = startOf(facts);
      for (const move of plan.moves) {
        assert.equal(refusal(state, move, facts), undefined);
        state = stateAfter(state, move);
      }
      assert.ok(isReached(state, target(goal.release), goal, facts));
      for (const step of plan.steps) assert.ok(step.commands.length > 0 && step.does !== "", JSON.stringify(step));
    }),
    { numRuns: 600 },
  );
  assert.ok(possible > 60, `${possible} plans were possible`);
});

test("no other plan has fewer moves, and a path that exists is found", () => {
  fc.assert(
    fc.property(inputs, (drawn) => {
      const facts = factsOf(drawn);
      const goal = goalOf(drawn);
      const plan = planUpgradePath(facts, goal);
      assert.equal(fewestMoves(facts, goal), plan.possible ? plan.moves.length : undefined, JSON.stringify(plan));
    }),
    { numRuns: 300 },
  );
});

test("without a path, at least one missing edge is named with its reason", () => {
  fc.assert(
    fc.property(inputs, (drawn) => {
      const plan = planUpgradePath(factsOf(drawn), goalOf(drawn));
      assert.ok(plan.possible || plan.missing.length > 0);
      if (!plan.possible) for (const { why } of plan.missing) assert.ok(why.length > 10);
    }),
    { numRuns: 600 },
  );
});

test("whatever the versions are, there is an answer", () => {
  const odd = fc.oneof(fc.string(), fc.constantFrom(...operators, ...minors, ...versions, "8.2.0-25.12.minimal", "v1"));
  fc.assert(
    fc.property(
      fc.record({ operator: odd, nodeTag: odd, kubernetes: odd, release: odd, database: odd, wanted: odd }),
      ({ operator, nodeTag, kubernetes, release, database, wanted }) => {
        const facts: PathFacts = {
          cluster: "rec",
          nodes: 3,
          operator,
          nodeTag,
          kubernetes,
          isOpenShift: false,
          databases: [
            {
              name: "db",
              uid: 1,
              version: database,
              replication: false,
              hasObject: true,
              policies: { cluster: "major", database: undefined },
            },
          ],
          modules: [],
          present: [],
          systemsOf: ({ baseSystems }) => [baseSystems],
          listedModules: [],
          autoUpgrade: false,
        };
        const plan = planUpgradePath(facts, { release, databases: wanted });
        assert.ok(plan.possible || plan.missing.length > 0);
      },
    ),
    { numRuns: 500 },
  );
});

/** By layers, without remembering the way: another program than the one under test. */
function fewestMoves(facts: PathFacts, goal: Goal): number | undefined {
  const end = target(goal.release);
  const seen = new Set<string>();
  let layer = [startOf(facts)];
  for (let moves = 0; layer.length > 0; moves += 1) {
    if (layer.some((state) => isReached(state, end, goal, facts))) return moves;
    const next = new Map<string, PathState>();
    for (const state of layer) {
      seen.add(JSON.stringify([state.operator.operator, state.cluster.operator, state.kubernetes, state.floor]));
      for (const move of movesAt(state, end, goal)) {
        if (refusal(state, move, facts) !== undefined) continue;
        const place = stateAfter(state, move);
        const key = JSON.stringify([place.operator.operator, place.cluster.operator, place.kubernetes, place.floor]);
        if (!seen.has(key)) next.set(key, place);
      }
    }
    layer = [...next.values()];
  }
  return undefined;
}
