import { test } from "node:test";
import { slicedConverges } from "../../../test/kit/merge/sliced-schedule.ts";

/** `MERGE_SCHEDULES` and `MERGE_SEED` choose others. */
const SCHEDULES = Number(process.env["MERGE_SCHEDULES"] ?? 500);
const FIRST = Number(process.env["MERGE_SEED"] ?? 1);

test(`sites with different numbers of shards converge in ${SCHEDULES} random schedules, each slice on its own`, () => {
  for (let seed = FIRST; seed < FIRST + SCHEDULES; seed += 1) slicedConverges(seed);
});
