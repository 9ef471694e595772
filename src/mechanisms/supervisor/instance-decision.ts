import type { InstanceState } from "./instance-states.ts";
import type { WantedInstance } from "./wanted-instance.ts";

/** What the next act of an instance follows from. Times in milliseconds of one clock. */
export interface InstanceView {
  readonly state: InstanceState;
  readonly wanted: Pick<WantedInstance, "role" | "launch" | "primary" | "switching">;
  /** Highest launch number that was used, kept in the data directory. */
  readonly usedLaunch: number;
  readonly now: number;
  /** No start before this. */
  readonly retryAt: number;
}

export type InstanceAct =
  /** Running: bring its live settings up to date. */
  | { readonly kind: "keep" }
  | { readonly kind: "start"; readonly as: "primary" | "replica" }
  | { readonly kind: "retry"; readonly afterMs: number }
  /** It must not start; the leader sees `crashed` and decides. */
  | { readonly kind: "report-lost" }
  /** Until the record says more. */
  | { readonly kind: "wait" };

/**
 * A replica starts freely, later after each crash. A primary starts only by a launch number that was not used before, so
 * that it never comes back empty or beside its successor.
 */
export function decideInstance(view: InstanceView): InstanceAct {
  if (view.state === "starting" || view.state === "serving") return { kind: "keep" };
  if (view.state === "draining") return { kind: "wait" };
  if (view.wanted.role === "primary" && view.wanted.launch <= view.usedLaunch) return { kind: "report-lost" };
  if (view.wanted.role === "replica" && mustStayDown(view)) return { kind: "wait" };
  if (view.now < view.retryAt) return { kind: "retry", afterMs: view.retryAt - view.now };
  return { kind: "start", as: view.wanted.role };
}

/** Without an address to attach to it would be writable; in a switchover it may be the one that was just promoted. */
function mustStayDown({ state, wanted }: InstanceView): boolean {
  return wanted.primary === undefined || (wanted.switching && state === "crashed");
}
