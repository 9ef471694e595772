/** Time as a parameter: everything that waits or stamps takes a Clock, so that tests decide what time it is. */
export interface Clock {
  /** The date, for stamps and validity. It may be set at any moment: no duration is measured by it. */
  now(): Date;
  /** Milliseconds since the machine started, sleep included. Nothing sets it; all processes of a machine agree. For durations. */
  uptimeMs(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
