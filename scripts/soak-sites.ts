// Random schedules of the sites of an Active-Active database, without engines: docs/active-active.md#how-this-is-proved.
//   npm run soak:sites -- [--schedules n] [--from seed]
// Exit codes: 0 all sites came to the same, 1 those of a schedule did not, 2 wrong arguments, 130 interrupted.
import { converges } from "../test/kit/merge/schedule.ts";
import { playSchedules } from "./soaking/play-schedules.ts";

process.exitCode = playSchedules("soak:sites", process.argv.slice(2), converges);
