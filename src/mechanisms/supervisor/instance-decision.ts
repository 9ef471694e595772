import type { InstanceState } from "./instance-states.ts";
import type { WantedInstance } from "./wanted-instance.ts";

/** What the next act of an instance follows from. Times in milliseconds of one clock. */
export interface InstanceView {
  readonly state: InstanceState;
  readonly wanted: Pick<WantedInstance, "role" | "launch" | "primary" | "switching">;
  /** Highest launch number that was used, kept in the data directory. */
  readonly usedLaunch: number;
  /** What its engine said last of its role; undefined: nothing since it started. */
  readonly runsAs?: "primary" | "replica" | undefined;
  readonly now: number;
  /** No start before this. */
  readonly retryAt: number;
}

export type InstanceAct =
  /** Running: bring its live settings up to date. */
  | { readonly kind: "keep" }
  /** It ends, and starts as primary. */
  | { readonly kind: "start-anew" }
  | { readonly kind: "start"; readonly as: "primary" | "replica" }
  | { readonly kind: "retry"; readonly afterMs: number }
  /** It must not start; the leader sees `crashed` and decides. */
  | { readonly kind: "report-lost" }
  /** Until the record says more. */
  | { readonly kind: "wait" };

/**
 * A replica starts freely, later after each crash. A primary starts only by a launch number that was not used before, so
 * that it never comes back empty or beside its successor. One that runs as a replica, and is given a launch, starts anew from what it has.
 */
export function decideInstance(view: InstanceView): InstanceAct {
  if (view.state === "starting" || view.state === "serving") return decideRunning(view);
  if (view.state === "draining") return { kind: "wait" };
  if (mustStayDown(view)) return { kind: "report-lost" };
  // without an address to attach to it would be writable
  if (view.wanted.role === "replica" && view.wanted.primary === undefined) return { kind: "wait" };
  if (view.now < view.retryAt) return { kind: "retry", afterMs: view.retryAt - view.now };
  return { kind: "start", as: view.wanted.role };
}

/** A replica that is given a launch was promoted and ended, or was demoted, and the leader has found no other copy. */
function decideRunning({ state, wanted, usedLaunch, runsAs }: InstanceView): InstanceAct {
  const isLaunched = wanted.role === "primary" && wanted.launch > usedLaunch;
  return isLaunched && state === "serving" && runsAs === "replica" ? { kind: "start-anew" } : { kind: "keep" };
}

/**
 * In a switchover it may be the one that was just promoted, whoever has ended it: started again as a replica, it would look like one that never was, and what clients
 * wrote there would be given up without a word.
 */
function mustStayDown({ wanted, usedLaunch }: InstanceView): boolean {
  return wanted.role === "primary" ? wanted.launch <= usedLaunch : wanted.switching;
}
