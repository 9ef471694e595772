/** Lets loops sleep until there is something to do. */
export class Wakeup {
  #next = Promise.withResolvers<void>();

  /** Resolves at the next `wake` after this call. */
  next(): Promise<void> {
    return this.#next.promise;
  }

  wake(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}
