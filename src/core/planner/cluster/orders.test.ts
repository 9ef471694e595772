import { test } from "node:test";
import { playOrders } from "../../../../test/kit/orders/play.ts";

/** `ORDERS_SCHEDULES` and `ORDERS_SEED` choose others. */
const SCHEDULES = Number(process.env["ORDERS_SCHEDULES"] ?? 2_000);
const FIRST = Number(process.env["ORDERS_SEED"] ?? 1);

test(`in ${SCHEDULES} random schedules of hostile orders no second node is away by the operator's doing, each is evacuated, and each wait has a way on`, () => {
  for (let seed = FIRST; seed < FIRST + SCHEDULES; seed += 1) playOrders(seed);
});
