import type { Clock } from "#kit/base/clock";
import { isRead, staysHere } from "../protocol/commands.ts";
import { startTimer } from "../timing/timer.ts";

/** CLIENT PAUSE, for the clients that are connected to this endpoint. */
export class ClientPause {
  readonly #clock: Clock;
  readonly #ended: () => void;
  #mode: "none" | "writes" | "all" = "none";
  #until = 0;
  #cancel: () => void = () => undefined;

  /** `ended` is called when requests can be taken again. */
  constructor(clock: Clock, ended: () => void) {
    this.#clock = clock;
    this.#ended = ended;
  }

  /** True while each request must be looked at. */
  get active(): boolean {
    return this.#mode !== "none";
  }

  /** True when this request must wait. */
  stops(request: Buffer): boolean {
    return this.#mode === "all" || (this.#mode === "writes" && !isRead(request) && !staysHere(request));
  }

  /** As at an engine, a pause never becomes shorter, nor milder, by another one. */
  begin(mode: "writes" | "all", ms: number): void {
    const now = this.#clock.uptimeMs();
    this.#mode = this.#mode === "all" ? "all" : mode;
    this.#until = Math.max(this.#until, now + ms);
    this.#cancel();
    this.#cancel = startTimer(this.#clock, this.#until - now, () => {
      this.end();
    });
  }

  end(): void {
    this.#cancel();
    this.#mode = "none";
    this.#until = 0;
    this.#ended();
  }
}
