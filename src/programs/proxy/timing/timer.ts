import type { Clock } from "#kit/base/clock";

/** Does `act` once, after `ms`; the returned function cancels it. */
export function startTimer(clock: Clock, ms: number, act: () => void): () => void {
  const cancelled = new AbortController();
  void clock.sleep(ms, cancelled.signal).then(act, () => undefined); // it rejects only when it is cancelled
  return () => {
    cancelled.abort();
  };
}
