import { test } from "node:test";
import { keepsLimits } from "../../../test/kit/merge/limiter-schedule.ts";

/** `MERGE_SCHEDULES` and `MERGE_SEED` choose others. */
const SCHEDULES = Number(process.env["MERGE_SCHEDULES"] ?? 200);
const FIRST = Number(process.env["MERGE_SEED"] ?? 1);

test(`in ${SCHEDULES} random schedules of keys that expire while sites write them, nothing that clients have written anew is taken, and each counter has its time`, () => {
  for (let seed = FIRST; seed < FIRST + SCHEDULES; seed += 1) keepsLimits(seed);
});
