import { backoffMs } from "#kit/base/backoff";
import type { Clock } from "#kit/base/clock";

const RETRY_BASE_MS = 200;
const RETRY_MAX_MS = 30_000;
/** A process that served this long had a fresh start: its next crash is the first again. */
const STEADY_MS = 60_000;

/** When an instance is looked at again: soon after its first crash, and later after each further one. */
export class Retries {
  readonly #clock: Clock;
  readonly #look: () => void;
  #timer = new AbortController();
  #crashes = 0;
  #notBefore = 0;

  constructor(clock: Clock, look: () => void) {
    this.#clock = clock;
    this.#look = look;
  }

  /** No start before this, in milliseconds of uptime. */
  get notBefore(): number {
    return this.#notBefore;
  }

  /** It has ended unasked, and did not serve steadily since. */
  get hasCrashed(): boolean {
    return this.#crashes > 0;
  }

  /** Its process ended unasked after it had served for so long. */
  crashed(servedMs: number): void {
    if (servedMs >= STEADY_MS) this.#crashes = 0;
    this.failed();
  }

  /** Its process could not be started, or has ended. */
  failed(): void {
    const delay = backoffMs(this.#crashes, RETRY_BASE_MS, RETRY_MAX_MS);
    this.#crashes += 1;
    this.#notBefore = this.#clock.uptimeMs() + delay;
    this.lookIn(delay);
  }

  /** Replaces the look that was to come. */
  lookIn(ms: number): void {
    this.cancel();
    const timer = new AbortController();
    this.#timer = timer;
    void this.#clock.sleep(ms, timer.signal).then(this.#look, () => undefined); // cancelled: stopped, or scheduled anew
  }

  cancel(): void {
    this.#timer.abort();
  }
}
