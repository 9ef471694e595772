// Random schedules of hostile orders, in virtual time: docs/testing.md.
//   npm run soak:orders -- [--schedules n] [--from seed]
// Exit codes: 0 all passed, 1 a schedule failed, 2 wrong arguments, 130 interrupted.
import { playOrders } from "../test/kit/orders/play.ts";
import { playSchedules } from "./soaking/play-schedules.ts";

process.exitCode = playSchedules("soak:orders", process.argv.slice(2), playOrders);
