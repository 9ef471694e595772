import type { Clock } from "#kit/base/clock";
import type { SessionParts } from "../client/session-parts.ts";
import { LIMITS } from "../limits/limits.ts";
import { startTimer } from "../timing/timer.ts";

/** A client that has to log in. */
export interface Guest {
  readonly identity: { readonly authenticated: boolean };
  readonly life: Pick<SessionParts["life"], "cut">;
}

/** Whether the proxy can answer logins now. */
interface Primary {
  readonly held: boolean;
  readonly upstream: { readonly lanes: { readonly reachable: boolean } } | undefined;
}

/** The clients of an endpoint that have not logged in: those that do not in time are cut. */
export class Guests {
  readonly #clock: Clock;
  readonly #primary: () => Primary;
  /** The uptime at which the login of each must be done, the first that connected first. */
  readonly #deadlines = new Map<Guest, number>();
  #cancel: (() => void) | undefined;

  /** `primary`: one of those that the endpoint has, which serves if one does. */
  constructor(clock: Clock, primary: () => Primary) {
    this.#clock = clock;
    this.#primary = primary;
  }

  add(guest: Guest): void {
    this.#deadlines.set(guest, this.#clock.uptimeMs() + LIMITS.loginMs);
    this.#watch();
  }

  /** It is gone. */
  delete(guest: Guest): void {
    this.#deadlines.delete(guest);
  }

  stop(): void {
    this.#cancel?.();
  }

  #watch(): void {
    this.#cancel ??= startTimer(this.#clock, SWEEP_MS, () => {
      this.#cancel = undefined;
      this.#sweep();
      if (this.#deadlines.size > 0) this.#watch();
    });
  }

  #sweep(): void {
    const now = this.#clock.uptimeMs();
    const { held, upstream } = this.#primary();
    const isServing = !held && upstream?.lanes.reachable === true;
    for (const [guest, deadline] of [...this.#deadlines]) {
      if (guest.identity.authenticated) this.#deadlines.delete(guest);
      // without an engine some logins cannot be answered: that time is not the client's
      else if (!isServing) this.#deadlines.set(guest, now + LIMITS.loginMs);
      else if (now >= deadline) {
        this.#deadlines.delete(guest);
        guest.life.cut(`the client has not logged in within ${LIMITS.loginMs} ms`);
      }
    }
  }
}

const SWEEP_MS = 1_000;
