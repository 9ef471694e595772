import type { PinnedEndpoint } from "./pinned-owner.ts";
import { startTimer } from "../timing/timer.ts";
import type { Pin } from "../upstream/pin.ts";

/** The end of the time in which a former primary may still answer on a pin. */
export class Departure {
  #cancel: () => void = () => undefined;

  /** Ends `pin` after `holdMs`, unless it has been left by then; `ended` is called behind that. */
  begin(pin: Pin, { clock, primary }: PinnedEndpoint, ended: () => void): void {
    this.stop();
    this.#cancel = startTimer(clock, primary.holdMs, () => {
      if (pin.closed) return;
      pin.destroy();
      ended();
    });
  }

  stop(): void {
    this.#cancel();
  }
}
