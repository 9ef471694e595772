/**
 * When a lane sends: what comes in one turn of the event loop goes together at its end. When the lane is idle and one client alone
 * has used it lately, nothing is waited for.
 */
export class Turns {
  /** When the turn began, by `performance.now`. */
  beganAt = 0;
  /** What is put on the lane is sent at the end of the turn. */
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
