import assert from "node:assert/strict";
import { test } from "node:test";
import type { Circumstances } from "../stories/judge.ts";
import type { Company } from "./company.ts";
import { judgeTale } from "./judge.ts";
import type { Happening } from "./tale.ts";

/** What happened; `wrong` says what the judge finds, and nothing where it finds nothing. */
export type Row = readonly [
  rule: string,
  events: readonly Happening[],
  wrong?: RegExp | undefined,
  around?: Circumstances,
];

/** Nothing fails. */
export const CALM: Circumstances = {
  changes: [],
  isCalm: true,
  losesNothing: true,
  timesHoldUntil: Number.POSITIVE_INFINITY,
};
/** Something fails. */
export const FAULTY: Circumstances = { ...CALM, isCalm: false };

/** Each row is a test: the judge finds what is wrong, and nothing else. */
export function judgesRightly(company: Company, rows: readonly Row[]): void {
  for (const [rule, events, wrong, around = CALM] of rows)
    test(`${company.name}: ${rule}`, () => {
      const found = judgeTale(company, { name: "tale", events }, around).wrong;
      if (wrong === undefined) assert.equal(found, undefined);
      else assert.match(found ?? "", wrong);
    });
}
