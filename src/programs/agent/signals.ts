/** Told that something may have changed: a database when it is known which one. */
export type ChangeListener = (database: number | undefined) => void;

/** Tells everybody who listens that something may have changed, without saying what. */
export class Signals {
  readonly #listeners = new Set<ChangeListener>();

  /** Ends with the answer. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  tell(database?: number): void {
    for (const listener of this.#listeners) listener(database);
  }
}
