import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_OF_A_SITE, MOST_ORIGINS, requireFew } from "./few-origins.ts";
import { originOf } from "./origin.ts";

const times = (site: number, count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => originOf(site, from + index));
const all = Array.from({ length: 10 }, (_, index) => times(index + 10, MOST_ORIGINS / 10)).flat();

const taken: readonly (readonly [what: string, origins: readonly number[], known: readonly number[]])[] = [
  ["the first one of a site", times(2, 1), times(1, 3)],
  ["the last one that a site may have", times(2, 1, 1_000), times(2, MOST_OF_A_SITE - 1)],
  ["one that is known, of a site that has too many from an earlier release", times(2, 1), times(2, 700)],
  ["one of a third site that has as many, which the sender passes on", times(3, 1, 1_000), times(3, MOST_OF_A_SITE)],
  ["the first one of another site beside a site that has as many", times(2, 1), times(3, MOST_OF_A_SITE)],
];
for (const [what, origins, known] of taken)
  test(`of what site 2 sends, this is taken: ${what}`, () => {
    requireFew(origins, known, 2);
  });

const refused: readonly (readonly [what: string, origins: readonly number[], known: readonly number[], why: RegExp])[] =
  [
    ["one more than a site may have", times(2, 1, 1_000), times(2, MOST_OF_A_SITE), /Site 2 has begun anew 256 times/],
    ["too many of the site at once", times(2, MOST_OF_A_SITE + 1), [], /it gets another number/],
    ["one more than all sites may have", times(2, 1), all, /All sites together .* 2000 times/],
    ["too many of a third site", times(3, MOST_ORIGINS + 1), [], /Make another Active-Active database/],
  ];
for (const [what, origins, known, message] of refused)
  test(`of what site 2 sends, this is refused: ${what}`, () => {
    assert.throws(() => requireFew(origins, known, 2), { code: "MERGE_BEGUN_TOO_OFTEN", message });
  });
