import { backoffMs } from "#kit/base/backoff";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";

/** Runs the passes of one loop, one at a time. */
export interface PassRunner {
  /** Requests a pass; several requests before it begins are one. */
  request(): void;
  /** Requests a pass; resolves once a pass that began later has succeeded, or none will because the signal has aborted. */
  completed(): Promise<void>;
  /** Resolves when no pass runs any more, after the signal has aborted. */
  readonly stopped: Promise<void>;
}

export interface PassRunnerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Runs `pass` when requested; a pass that throws is logged and tried again with back-off. */
export function runPasses(name: string, pass: () => Promise<void>, options: PassRunnerOptions): PassRunner {
  const requests = new Requests();
  options.signal.addEventListener("abort", () => requests.wake(), { once: true });
  let hasEnded = false;
  const stopped = runUntilAborted(name, pass, requests, options).finally(() => {
    hasEnded = true;
    for (const resolve of requests.take()) resolve();
  });
  return {
    request: () => requests.add(),
    completed: () =>
      new Promise((resolve) => {
        if (hasEnded) resolve();
        else requests.add(resolve);
      }),
    stopped,
  };
}

async function runUntilAborted(
  name: string,
  pass: () => Promise<void>,
  requests: Requests,
  { clock, log, signal }: PassRunnerOptions,
): Promise<void> {
  for (let failures = 0; !signal.aborted;) {
    if (failures === 0) await requests.pending();
    if (signal.aborted) return;
    const waiting = requests.take();
    try {
      await pass();
      failures = 0;
      for (const resolve of waiting) resolve();
    } catch (error) {
      failures += 1;
      requests.putBack(waiting);
      log.warn("a pass failed and is tried again", { pass: name, error });
      await clock.sleep(backoffMs(failures - 1, 100, 5_000), signal).catch(() => undefined); // aborted: the loop looks
    }
  }
}

/** Requests that no pass has served yet, and those who wait for them. */
class Requests {
  #isPending = false;
  #waiting: (() => void)[] = [];
  #wake = (): void => undefined;

  add(resolve?: () => void): void {
    if (resolve !== undefined) this.#waiting.push(resolve);
    this.#isPending = true;
    this.wake();
  }

  /** Ends a wait for the next request. */
  wake(): void {
    this.#wake();
  }

  async pending(): Promise<void> {
    if (!this.#isPending) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  take(): readonly (() => void)[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#isPending = false;
    return waiting;
  }

  putBack(waiting: readonly (() => void)[]): void {
    this.#waiting = [...waiting, ...this.#waiting];
  }
}
