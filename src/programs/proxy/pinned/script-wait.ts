import type { Clock } from "../../../core/base/clock.ts";
import { startTimer } from "../timing/timer.ts";

/** The time until requests that met a script are sent again, on the same connection. */
export class ScriptWait {
  #cancel: (() => void) | undefined;

  /** Nothing may be sent on the connection before them. */
  get waiting(): boolean {
    return this.#cancel !== undefined;
  }

  /** Calls `repeat` a little later, unless it is stopped. */
  begin(clock: Clock, repeat: () => void): void {
    this.#cancel ??= startTimer(clock, RETRY_MS, () => {
      this.#cancel = undefined;
      repeat();
    });
  }

  /** The connection is left. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

const RETRY_MS = 50;
