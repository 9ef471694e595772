import { laterBy } from "../../../src/core/base/instant.ts";
import type { Instant } from "../../../src/core/base/instant.ts";
import { Lease } from "../../../src/programs/proxy/timing/lease.ts";
import { instantNow } from "../../../src/mechanisms/reconcile/instant.ts";
import { FakeClock } from "./fake-clock.ts";

/** Later than any test ends. */
export function noEnd(): Instant {
  return laterBy(instantNow(), 3_600_000);
}

/** A lease that holds for as long as a test lasts. */
export function heldLease(): Lease {
  const lease = new Lease(new FakeClock());
  lease.grant(noEnd());
  return lease;
}
