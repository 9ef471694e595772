import assert from "node:assert/strict";
import { test } from "node:test";
import { Suspicions } from "./suspicions.ts";
import { vectorOf } from "../operations/version-vector.ts";

/** Of two sites: how many operations of sites 1 and 2 each had received. */
function had(here: readonly [number, number], there: readonly [number, number]) {
  const vector = ([one, two]: readonly [number, number]) =>
    vectorOf([
      [1, one],
      [2, two],
    ]);
  return { here: vector(here), there: vector(there) };
}

interface Look {
  readonly at: ReturnType<typeof had>;
  readonly counts: boolean;
}

const cases: readonly { readonly rule: string; readonly looks: readonly Look[] }[] = [
  {
    rule: "what is seen once does not count",
    looks: [{ at: had([5, 3], [5, 3]), counts: false }],
  },
  {
    rule: "it counts when it is seen again and nothing was on its way",
    looks: [
      { at: had([5, 3], [5, 3]), counts: false },
      { at: had([5, 3], [5, 3]), counts: true },
    ],
  },
  {
    rule: "it does not count while this site lacks what the other one had",
    looks: [
      { at: had([5, 3], [5, 4]), counts: false },
      { at: had([5, 3], [5, 9]), counts: false },
      { at: had([5, 4], [5, 9]), counts: true },
    ],
  },
  {
    rule: "it does not count while the other site lacks what this one had",
    looks: [
      { at: had([5, 3], [2, 3]), counts: false },
      { at: had([7, 3], [4, 3]), counts: false },
      { at: had([7, 3], [5, 3]), counts: true },
    ],
  },
];

for (const { rule, looks } of cases)
  test(rule, () => {
    const suspicions = new Suspicions();
    assert.deepEqual(
      looks.map(({ at }) => suspicions.isSeenAgain("k", at)),
      looks.map(({ counts }) => counts),
    );
  });

test("a key that was seen to be the same begins anew", () => {
  const suspicions = new Suspicions();
  const at = had([1, 1], [1, 1]);
  suspicions.isSeenAgain("k", at);
  assert.deepEqual(suspicions.keys, ["k"]);
  suspicions.isSame("k");
  assert.equal(suspicions.isSeenAgain("k", at), false);
});

test("no more than a thousand keys are remembered", () => {
  const suspicions = new Suspicions();
  for (let key = 0; key < 2_000; key += 1) suspicions.isSeenAgain(String(key), had([1, 1], [1, 1]));
  assert.equal(suspicions.keys.length, 1_000);
  suspicions.clear();
  assert.equal(suspicions.keys.length, 0);
});
