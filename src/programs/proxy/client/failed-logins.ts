import type { Clock } from "../../../core/base/clock.ts";
import type { Log } from "../../../core/base/log.ts";

interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

/**
 * Wrong passwords that clients of an address have given lately: after each of them the address waits before the next one is looked at.
 * The log says of which address, and how many: at once, and less and less often while it goes on.
 */
export class FailedLogins {
  readonly #clock: Clock;
  readonly #log: Log;
  /** By address; the one that has failed last is the last. */
  readonly #failures = new Map<string, Failures>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** How many milliseconds a login from this address has to wait, a right one too: an answer at once would say which one is right. */
  waitMs(address: string): number {
    const failures = this.#recent(address);
    if (failures === undefined) return 0;
    return Math.max(0, failures.lastMs + loginDelayMs(failures.count) - this.#clock.uptimeMs());
  }

  /** A password from this address was wrong. */
  note(address: string): void {
    const count = (this.#recent(address)?.count ?? 0) + 1;
    this.#failures.delete(address);
    this.#failures.set(address, { count, lastMs: this.#clock.uptimeMs() });
    const [oldest] = this.#failures.keys();
    if (isSaid(count)) this.#log.warn("a login of a client failed", { address, failures: count });
    if (this.#failures.size > MOST_ADDRESSES && oldest !== undefined) this.#failures.delete(oldest);
  }

  #recent(address: string): Failures | undefined {
    const failures = this.#failures.get(address);
    return failures !== undefined && this.#clock.uptimeMs() - failures.lastMs < FORGOTTEN_MS ? failures : undefined;
  }
}

/** One that goes on once a second is said once a minute. */
function isSaid(failures: number): boolean {
  return failures % SAID_EACH === 0 || Number.isInteger(Math.log2(failures));
}

const SAID_EACH = 64;

/** How long an address waits that has failed so often, in milliseconds. */
export function loginDelayMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
}

const FIRST_MS = 100;
/** A library that has the right password at last waits no longer, and libraries give up logins after a few seconds. */
const LONGEST_MS = 1_000;
const FORGOTTEN_MS = 30_000;
const MOST_ADDRESSES = 4_096;
