import assert from "node:assert/strict";
import { test } from "node:test";
import { vectorOf, type VersionVector } from "../../../core/merge/operations/version-vector.ts";
import { Delay } from "./delay.ts";

/** What two incarnations of a site have written. */
const of = (first: number, second = 0): VersionVector =>
  vectorOf([
    [1, first],
    [257, second],
  ]);
type Look = readonly [at: number, there: VersionVector, arrived: VersionVector, delay: number | undefined];

const cases: readonly (readonly [rule: string, looks: readonly Look[]])[] = [
  ["there is none where all has arrived", [[10, of(5), of(5), 0]]],
  [
    "it is not known until what there was at first has arrived",
    [
      [10, of(5), of(2), undefined],
      [20, of(9), of(4), undefined],
      [30, of(9), of(5), 20],
    ],
  ],
  [
    "it is the age of the last look of which all has arrived",
    [
      [10, of(5), of(5), 0],
      [20, of(8), of(5), 10],
      [30, of(9), of(8), 10],
      [40, of(9), of(9), 0],
    ],
  ],
  [
    "it grows while nothing arrives, under whatever number the other end writes",
    [
      [10, of(5), of(5), 0],
      [20, of(5, 1), of(5), 10],
      [90, of(5, 1), of(5), 80],
    ],
  ],
];

for (const [rule, looks] of cases) {
  test(`delay of a link: ${rule}`, () => {
    const delay = new Delay();
    assert.deepEqual(
      looks.map(([at, there, arrived]) => delay.look(there, arrived, at)),
      looks.map(([, , , expected]) => expected),
    );
  });
}
