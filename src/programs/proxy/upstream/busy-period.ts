/**
 * For how long an engine has run a script, in milliseconds of the uptime. Engines say so early here (`lua-time-limit`), so
 * that a script can be ended; clients get that answer only when it has run for as long as engines allow by default. Until
 * then their requests wait.
 */
export class BusyPeriod {
  #since = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  #provenMs = Number.NEGATIVE_INFINITY;

  /** Takes a reply that says so; `proven`: no script or module has made it. True while its request waits. */
  spares(now: number, proven: boolean): boolean {
    if (now - this.#lastMs > FORGOTTEN_MS) this.#since = now;
    this.#lastMs = now;
    if (proven) this.#provenMs = now;
    return now - this.#since < SPARED_MS;
  }

  /** The engine itself has said so after that moment. */
  provenSince(moment: number): boolean {
    return this.#provenMs >= moment;
  }

  /** A request that waited was executed: the script has ended. */
  over(): void {
    this.#lastMs = Number.NEGATIVE_INFINITY;
  }
}

/** The engines' own limit of 5 s, less the time after which they say it here. */
const SPARED_MS = 4_750;
/** A period that no reply has named for so long has ended. */
const FORGOTTEN_MS = 5_000;
