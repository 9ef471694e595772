/** Tells everybody who listens that something may have changed, without saying what. */
export class Signals {
  readonly #listeners = new Set<() => void>();

  /** Ends with the answer. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
