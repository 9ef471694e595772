import type { Clock } from "#kit/base/clock";
import type { Lease } from "./lease.ts";
import { startTimer } from "./timer.ts";

export interface LeaseWatchEvents {
  /** The lease has been expired for `patienceMs`: clients that wait get an error now. */
  gaveUp(): void;
  /** The lease holds again; `hadGivenUp`: clients got errors meanwhile. */
  renewed(hadGivenUp: boolean): void;
}

/** What one endpoint does while its lease is expired: clients wait for `patienceMs`, then they get errors. */
export class LeaseWatch {
  readonly #lease: Lease;
  readonly #clock: Clock;
  readonly #patienceMs: () => number;
  readonly #events: LeaseWatchEvents;
  readonly #unsubscribe: () => void;
  #gaveUp = false;
  #cancelPatience: (() => void) | undefined;

  constructor(lease: Lease, clock: Clock, patienceMs: () => number, events: LeaseWatchEvents) {
    this.#lease = lease;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#events = events;
    this.#unsubscribe = lease.onChange(() => {
      if (lease.expired) this.#begin();
      else this.#end();
    });
    if (lease.expired) this.#begin();
  }

  /** Clients wait for the lease. */
  get waiting(): boolean {
    return this.#lease.expired && !this.#gaveUp;
  }

  /** Clients do not wait any longer, and no engine is asked anything. */
  get gaveUp(): boolean {
    return this.#gaveUp;
  }

  stop(): void {
    this.#unsubscribe();
    this.#cancelPatience?.();
  }

  #begin(): void {
    this.#cancelPatience ??= startTimer(this.#clock, this.#patienceMs(), () => {
      this.#gaveUp = true;
      this.#events.gaveUp();
    });
  }

  #end(): void {
    this.#cancelPatience?.();
    this.#cancelPatience = undefined;
    const hadGivenUp = this.#gaveUp;
    this.#gaveUp = false;
    this.#events.renewed(hadGivenUp);
  }
}
