/**
 * For how long an engine has run a script, in milliseconds of the uptime. Engines say so early here (`lua-time-limit`), so
 * that a script can be ended; clients get that answer only when it has run for as long as the database allows. Until then
 * their requests wait.
 */
export class BusyPeriod {
  readonly #limitMs: () => number;
  #since = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  #provenMs = Number.NEGATIVE_INFINITY;

  /** `limitMs`: how long a script may run; 0 for as long as it likes. */
  constructor(limitMs: () => number) {
    this.#limitMs = limitMs;
  }

  /** Takes a reply that says that a script runs; `proven`: no script or module has made the reply. True while its request waits. */
  spares(now: number, proven: boolean): boolean {
    if (now - this.#lastMs > FORGOTTEN_MS) this.#since = now;
    this.#lastMs = now;
    if (proven) this.#provenMs = now;
    const limitMs = this.#limitMs();
    return limitMs === 0 || now - this.#since < limitMs - SAID_AFTER_MS;
  }

  /** The engine itself has said after that moment that it runs a script. */
  provenSince(moment: number): boolean {
    return this.#provenMs >= moment;
  }

  /** A request that waited was executed: the script has ended. */
  over(): void {
    this.#lastMs = Number.NEGATIVE_INFINITY;
  }
}

/** How long a script has run when its engine first says so (`lua-time-limit` of src/mechanisms/supervisor/engine-config.ts). */
const SAID_AFTER_MS = 250;
/** A period has ended when no reply has named it for so long. */
const FORGOTTEN_MS = 5_000;
