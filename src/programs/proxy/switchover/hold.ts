import type { Clock } from "../../../core/base/clock.ts";
import type { Session } from "../session/session.ts";
import { after } from "../timing/timer.ts";

/** A time during which no requests are taken from clients. It ends by its own deadline when nobody ends it. */
export class Hold {
  readonly epoch: number;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #cancelDeadline: () => void;
  readonly #busy = new Set<Session>();
  #drained: ((drained: boolean) => void) | undefined;

  constructor(epoch: number, clock: Clock, holdMs: number, expired: () => void) {
    this.epoch = epoch;
    this.#clock = clock;
    this.#startedAt = performance.now();
    this.#cancelDeadline = after(clock, holdMs, expired);
  }

  get ageMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Waits until these sessions have nothing outstanding: after how many milliseconds, or undefined when not in time. */
  async drain(busy: readonly Session[], withinMs: number): Promise<number | undefined> {
    for (const session of busy) this.#busy.add(session);
    if (this.#busy.size === 0) return this.ageMs;
    const drained = await new Promise<boolean>((resolve) => {
      const cancel = after(this.#clock, withinMs, () => {
        resolve(false);
      });
      this.#drained = (done) => {
        cancel();
        resolve(done);
      };
    });
    return drained ? this.ageMs : undefined;
  }

  settled(session: Session): void {
    if (this.#busy.delete(session) && this.#busy.size === 0) this.#drained?.(true);
  }

  end(): void {
    this.#cancelDeadline();
    this.#drained?.(false);
  }
}
