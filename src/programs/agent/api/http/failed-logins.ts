import type { Clock } from "#kit/base/clock";
import { Throttle } from "./pace.ts";

/** Of an address so many at once, and then one in each period, in milliseconds. */
const LINES = { burst: 128, periodMs: 500 } as const;
/** Of more addresses, the one that has failed least lately is forgotten. */
const MOST_ADDRESSES = 1_024;

/** Logins of an address that failed. */
interface Failures {
  readonly pace: Throttle;
  /** Those of which no line speaks yet. */
  unsaid: number;
}

/**
 * Which failed logins get a line of the log: each one, until an address fails so fast that it would push what was written before out of
 * the log; then lines are few, and say how many they are about.
 */
export class FailedLogins {
  readonly #clock: Clock;
  /** The address that has failed last at the end. */
  readonly #addresses = new Map<string, Failures>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many addresses are remembered. */
  get addresses(): number {
    return this.#addresses.size;
  }

  /** How many failures a line is about that is due now; undefined when none is. */
  failed(address: string): number | undefined {
    const failures = this.#addresses.get(address) ?? { pace: new Throttle(this.#clock, LINES), unsaid: 0 };
    this.#addresses.delete(address);
    this.#addresses.set(address, failures);
    if (this.#addresses.size > MOST_ADDRESSES) this.#forgetFirst();
    failures.unsaid += 1;
    if (failures.pace.waitMs > 0) return undefined;
    failures.pace.spend();
    const { unsaid } = failures;
    failures.unsaid = 0;
    return unsaid;
  }

  #forgetFirst(): void {
    for (const [first] of this.#addresses) {
      this.#addresses.delete(first);
      return;
    }
  }
}
