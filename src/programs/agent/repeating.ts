import { backoffMs } from "../../core/base/backoff.ts";
import type { Clock } from "../../core/base/clock.ts";
import type { Log } from "../../core/base/log.ts";

export interface Repeating {
  /** Asks for a run; several askings before it begins are one. */
  ask(): void;
  /** Asks for a run, and resolves once one that began later has succeeded, or none will because the signal has aborted. */
  done(): Promise<void>;
  /** Resolves when no run is under way any more, after the signal has aborted. */
  readonly stopped: Promise<void>;
}

/** Runs `act` whenever asked, one run at a time; a run that throws is logged and tried again with back-off. */
export function repeating(
  name: string,
  act: () => Promise<void>,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Repeating {
  let asked = false;
  let wake = (): void => undefined;
  let waiting: (() => void)[] = [];
  const run = async (): Promise<void> => {
    for (let failures = 0; !signal.aborted;) {
      if (!asked && failures === 0) await new Promise<void>((resolve) => (wake = resolve));
      if (signal.aborted) return;
      asked = false;
      const served = waiting;
      waiting = [];
      try {
        await act();
        failures = 0;
        for (const tell of served) tell();
      } catch (error) {
        failures += 1;
        waiting = [...served, ...waiting];
        log.warn("a pass failed and is tried again", { pass: name, error });
        await clock.sleep(backoffMs(failures - 1, 100, 5_000), signal).catch(() => undefined); // aborted: the loop looks
      }
    }
  };
  signal.addEventListener("abort", () => wake(), { once: true });
  const ask = (): void => {
    asked = true;
    wake();
  };
  const stopped = run().finally(() => {
    for (const tell of waiting) tell();
  });
  return {
    ask,
    done: () => {
      const told = new Promise<void>((resolve) => waiting.push(resolve));
      ask();
      return told;
    },
    stopped,
  };
}
