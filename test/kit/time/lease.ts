import { MemoryBudget } from "../../../src/programs/proxy/limits/memory-budget.ts";
import { Lease } from "../../../src/programs/proxy/timing/lease.ts";
import { ReplicaRounds } from "../../../src/programs/proxy/upstream/replica-rounds.ts";
import type { ReplyPermits } from "../../../src/programs/proxy/upstream/reply-gate.ts";
import { uptimeMs } from "#kit/reconcile/uptime";
import { FakeClock } from "#kit/testing/fake-clock";

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

/** Permits that let every reply pass at once. */
export function openPermits(): ReplyPermits {
  const address = { host: "127.0.0.1", port: 1 };
  const rounds = new ReplicaRounds({ address, logins: () => [], clock: new FakeClock() });
  rounds.require("none");
  return { lease: heldLease(), rounds, memory: new MemoryBudget(2 ** 27) };
}
