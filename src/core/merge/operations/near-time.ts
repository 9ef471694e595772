import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";
import { siteOf } from "./origin.ts";
import type { Timestamp } from "./timestamp.ts";

/**
 * Throws MERGE_CLOCK_AHEAD at a time of another site that is more than a day ahead of the clock here: a site that took it would give its own operations later
 * times, and so would all others. `site`: a site or an origin; `now`: in milliseconds since 1970.
 */
export function requireNear({ wall, site }: Pick<Timestamp, "wall" | "site">, now: number): void {
  if (wall <= now + MOST_AHEAD_MS) return;
  const hours = Math.floor((wall - now) / HOUR_MS);
  const what = `The time of site ${siteOf(site)} is ${hours} hours ahead of the clock of the node with the primary here`;
  throw new Fault(faults.clockAhead, `${what}, and up to 24 are taken. Compare the clocks of both (date -u).`);
}

const HOUR_MS = 3_600_000;
/** A machine whose clock is that of another time zone is nearer. */
const MOST_AHEAD_MS = 24 * HOUR_MS;
