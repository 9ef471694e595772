/**
 * Sends what waits for clients a little in each turn of the event loop, for all clients of a process together: to encrypt a megabyte takes
 * milliseconds, in which no other client is served.
 */
export class OutputTurns {
  #sentBytes = 0;
  readonly #waiting: (() => void)[] = [];
  #isArmed = false;

  /** False when so much was sent in this turn that the others come first. */
  take(bytes: number): boolean {
    if (this.#sentBytes >= TURN_BYTES) return false;
    this.#sentBytes += bytes;
    this.#arm();
    return true;
  }

  /** Calls `go` in a later turn, behind those that wait already. */
  later(go: () => void): void {
    this.#waiting.push(go);
    this.#arm();
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#isArmed = false;
    this.#sentBytes = 0;
    while (this.#sentBytes < TURN_BYTES) {
      const go = this.#waiting.shift();
      if (go === undefined) return;
      go();
    }
    if (this.#waiting.length > 0) this.#arm();
  };
}

/** Encrypted and sent in half a millisecond. */
const TURN_BYTES = 128 * 1024;
