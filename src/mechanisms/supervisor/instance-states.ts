/** Life of an instance. `crashed`: it ended unasked, or is a primary whose launch is used up and that does not run. */
export type InstanceState = "stopped" | "starting" | "serving" | "draining" | "crashed";

/** `lost`: it should run and cannot be started (used launch, no engine, spawn failure). */
export type InstanceEvent = "spawn" | "pong" | "stop" | "exit" | "lost";

const NEXT = {
  stopped: { spawn: "starting", stop: "stopped", lost: "crashed" },
  starting: { pong: "serving", stop: "draining", exit: "crashed" },
  serving: { pong: "serving", stop: "draining", exit: "crashed" },
  draining: { stop: "draining", exit: "stopped" },
  crashed: { spawn: "starting", stop: "stopped", lost: "crashed" },
} as const satisfies Record<InstanceState, Partial<Record<InstanceEvent, InstanceState>>>;

/** The state after `event`; undefined when it cannot happen in `from`. */
export function nextState(from: InstanceState, event: InstanceEvent): InstanceState | undefined {
  const row: Partial<Record<InstanceEvent, InstanceState>> = NEXT[from];
  return row[event];
}
