/**
 * Decides when a lane sends: requests of one turn of the event loop go together at its end. An idle lane that one client alone has used lately
 * sends at once.
 */
export class Turns {
  /** When the turn began, by `performance.now`. */
  beganAt = 0;
  /** The requests on the lane are sent at the end of the turn. */
  waiting = false;
  readonly #send: () => void;
  #count = 0;
  #countBefore = 0;

  constructor(send: () => void) {
    this.#send = send;
  }

  /** To be called before requests are put on the lane. */
  begin(isIdle: boolean): void {
    if (this.waiting) return;
    this.beganAt = performance.now();
    if (isIdle && this.#countBefore <= 1) {
      this.#count = 0;
      return;
    }
    this.waiting = true;
    setImmediate(this.#end);
  }

  /** Another client has put requests on the lane. */
  count(): void {
    this.#count++;
  }

  readonly #end = (): void => {
    this.waiting = false;
    this.#countBefore = this.#count;
    this.#count = 0;
    this.#send();
  };
}
