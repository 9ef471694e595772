import type { Clock } from "../../../core/base/clock.ts";
import type { Lease } from "./lease.ts";
import { after } from "./timer.ts";

export interface LapseEvents {
  /** It has lasted too long: whoever waits is to be told. */
  tooLong(): void;
  /** The lease holds again; `wasTooLong`: they have been told. */
  over(wasTooLong: boolean): void;
}

/** What one endpoint makes of a lease that ran out: for `patienceMs` its clients wait, then they are given up. */
export class Lapse {
  readonly #lease: Lease;
  readonly #clock: Clock;
  readonly #patienceMs: () => number;
  readonly #events: LapseEvents;
  readonly #unfollow: () => void;
  #tooLong = false;
  #cancelPatience: (() => void) | undefined;

  constructor(lease: Lease, clock: Clock, patienceMs: () => number, events: LapseEvents) {
    this.#lease = lease;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#events = events;
    this.#unfollow = lease.onChange(() => {
      this.#changed();
    });
    if (lease.lapsed) this.#begin();
  }

  /** Clients wait for the lease. */
  get waits(): boolean {
    return this.#lease.lapsed && !this.#tooLong;
  }

  /** Clients wait no longer, and nothing is asked of an engine. */
  get tooLong(): boolean {
    return this.#tooLong;
  }

  /** Nobody wants to know any more. */
  stop(): void {
    this.#unfollow();
    this.#cancelPatience?.();
  }

  #changed(): void {
    if (this.#lease.lapsed) this.#begin();
    else this.#end();
  }

  #begin(): void {
    this.#cancelPatience ??= after(this.#clock, this.#patienceMs(), () => {
      this.#tooLong = true;
      this.#events.tooLong();
    });
  }

  #end(): void {
    this.#cancelPatience?.();
    this.#cancelPatience = undefined;
    const wasTooLong = this.#tooLong;
    this.#tooLong = false;
    this.#events.over(wasTooLong);
  }
}
