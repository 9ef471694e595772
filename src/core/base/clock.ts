/** Time as a parameter: everything that waits or stamps takes a Clock, so that tests decide what time it is. */
export interface Clock {
  /** The current instant. */
  now(): Date;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
