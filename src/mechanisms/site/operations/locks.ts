/** Reasons for which something waits, until all of them are disposed. */
export class Locks {
  readonly #held = new Set<Promise<void>>();

  begin(): Disposable {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.add(promise);
    return {
      [Symbol.dispose]: () => {
        this.#held.delete(promise);
        resolve();
      },
    };
  }

  get isHeld(): boolean {
    return this.#held.size > 0;
  }

  /** Resolves while nothing holds. */
  async over(): Promise<void> {
    while (this.#held.size > 0) await Promise.all(this.#held);
  }
}
