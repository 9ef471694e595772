import { test } from "node:test";
import { converges } from "../../../test/kit/merge/schedule.ts";

/** Behind those of convergence.test.ts. */
const [FIRST, LAST] = [201, 5_000];

test(`sites converge in the schedules ${FIRST} to ${LAST}`, () => {
  for (let seed = FIRST; seed <= LAST; seed += 1) converges(seed);
});
