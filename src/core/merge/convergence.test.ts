import { test } from "node:test";
import { converges } from "../../../test/kit/merge/schedule.ts";

/** `MERGE_SCHEDULES` and `MERGE_SEED` choose others. */
const SCHEDULES = Number(process.env["MERGE_SCHEDULES"] ?? 200);
const FIRST = Number(process.env["MERGE_SEED"] ?? 1);

test(`sites converge in ${SCHEDULES} random schedules of writes, transactions, late streams, repeated operations, partitions, crashes, keys that expire or are evicted at any moment, sites that come, go and lose all, and wrong clocks`, () => {
  for (let seed = FIRST; seed < FIRST + SCHEDULES; seed += 1) converges(seed);
});
