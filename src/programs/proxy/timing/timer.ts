import type { Clock } from "../../../core/base/clock.ts";

/** Does `act` once, after `ms`, unless the returned function was called before. */
export function after(clock: Clock, ms: number, act: () => void): () => void {
  const cancelled = new AbortController();
  void clock.sleep(ms, cancelled.signal).then(act, () => undefined); // cancelled: nothing is to be done
  return () => {
    cancelled.abort();
  };
}
