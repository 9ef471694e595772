import assert from "node:assert/strict";
import { test } from "node:test";
import type { VersionVector } from "../../../core/merge/version-vector.ts";
import { Delay } from "./delay.ts";

type Look = readonly [at: number, there: VersionVector, arrived: VersionVector, delay: number | undefined];

const cases: readonly (readonly [rule: string, looks: readonly Look[]])[] = [
  ["there is none where all has arrived", [[10, { 1: 5 }, { 1: 5 }, 0]]],
  [
    "it is not known until what there was at first has arrived",
    [
      [10, { 1: 5 }, { 1: 2 }, undefined],
      [20, { 1: 9 }, { 1: 4 }, undefined],
      [30, { 1: 9 }, { 1: 5 }, 20],
    ],
  ],
  [
    "it is the age of the last look of which all has arrived",
    [
      [10, { 1: 5 }, { 1: 5 }, 0],
      [20, { 1: 8 }, { 1: 5 }, 10],
      [30, { 1: 9 }, { 1: 8 }, 10],
      [40, { 1: 9 }, { 1: 9 }, 0],
    ],
  ],
  [
    "it grows while nothing arrives, under whatever number the other end writes",
    [
      [10, { 1: 5 }, { 1: 5 }, 0],
      [20, { 1: 5, 257: 1 }, { 1: 5 }, 10],
      [90, { 1: 5, 257: 1 }, { 1: 5 }, 80],
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
