import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allOperations,
  anotherOrder,
  joined,
  randomHistory,
  shown,
  stateAfter,
  type SiteState,
} from "../../../test/kit/merge/histories.ts";
import { withBytes } from "./operations/operation-codec.ts";
import { seededDice } from "../../../test/kit/world/chaos.ts";
import { Site } from "./site.ts";
import { NOTHING } from "./operations/version-vector.ts";

// What a merge has to be, over random histories of every type at three sites whose clocks differ by up to ten minutes.

/** `MERGE_HISTORIES` and `MERGE_SEED` choose others. */
const HISTORIES = Number(process.env["MERGE_HISTORIES"] ?? 60);
const FIRST = Number(process.env["MERGE_SEED"] ?? 1);

test(`operations commute: in every order in which each follows what it had seen they give the same (${HISTORIES} histories)`, () => {
  for (const { seed, operations } of histories()) {
    const [one, other] = [1, 2].map((more) => shown(stateAfter(anotherOrder(operations, seededDice(seed + more)))));
    assert.deepEqual(one, other, `MERGE_SEED=${seed}`);
  }
});

test("operations are idempotent: one that comes again changes nothing", () => {
  for (const { seed, operations } of histories()) {
    const site = Site.empty({
      origin: 9,
      sites: [1, 2, 3, 9],
      life: "a",
      limits: { keptBytes: Infinity, earlyBytes: Infinity, partKeys: 100 },
    });
    const order = anotherOrder(operations, seededDice(seed));
    for (const [index, operation] of order.entries()) {
      site.receive(withBytes(operation), operation.dot.origin);
      const again = order[Math.floor(index / 2)] ?? operation;
      assert.deepEqual(site.receive(withBytes(again), again.dot.origin), [], `MERGE_SEED=${seed}`);
    }
  }
});

test("what sites know is joined in any order: a with b is b with a", () => {
  for (const {
    seed,
    states: [a, b],
  } of histories())
    same(joined(a, b), joined(b, a), seed);
});

test("and in any grouping: a with b, and then with c, is a with what b and c know together", () => {
  for (const {
    seed,
    states: [a, b, c],
  } of histories())
    same(joined(joined(a, b), c), joined(a, joined(b, c)), seed);
});

test("what a site knows already changes nothing: a with a is a, and a with b once more too", () => {
  for (const {
    seed,
    states: [a, b],
  } of histories()) {
    same(joined(a, a), a, seed);
    const both = joined(a, b);
    same(joined(both, b), both, seed);
  }
});

test("what sites know together is what one knows that gets every operation", () => {
  for (const {
    seed,
    operations,
    states: [a, b, c],
  } of histories()) {
    const all = { received: NOTHING, state: stateAfter(anotherOrder(operations, seededDice(seed + 1))) };
    same(joined(joined(a, b), c), all, seed);
  }
});

function* histories() {
  for (let seed = FIRST; seed < FIRST + HISTORIES; seed += 1) {
    const sites = randomHistory(seededDice(seed));
    const stateOf = (index: number): SiteState => {
      const { received = NOTHING, operations = [] } = sites[index] ?? {};
      return { received, state: stateAfter(operations) };
    };
    yield { seed, operations: allOperations(sites), states: [stateOf(0), stateOf(1), stateOf(2)] as const };
  }
}

function same(a: SiteState, b: SiteState, seed: number): void {
  assert.deepEqual(shown(a.state), shown(b.state), `MERGE_SEED=${seed}`);
}
