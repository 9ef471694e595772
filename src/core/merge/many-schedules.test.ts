import { test } from "node:test";
import { converges } from "../../../test/kit/merge/schedule.ts";

/** Behind those of convergence.test.ts. */
const [FIRST, LAST] = [201, 5_000];
/** Later ones in which sites did not come to the same once. */
const LATER = [6_338, 8_765, 83_563];

test(`sites converge in the schedules ${FIRST} to ${LAST}, and in some later ones`, () => {
  for (let seed = FIRST; seed <= LAST; seed += 1) converges(seed);
  for (const seed of LATER) converges(seed);
});
