import { Lease } from "../../../src/programs/proxy/timing/lease.ts";
import { uptimeMs } from "../../../src/mechanisms/reconcile/uptime.ts";
import { FakeClock } from "./fake-clock.ts";

/** Later than any test ends. */
export function noEnd(): number {
  return uptimeMs() + 3_600_000;
}

/** A lease that holds for as long as a test lasts. */
export function heldLease(): Lease {
  const lease = new Lease(new FakeClock());
  lease.grant(noEnd());
  return lease;
}
