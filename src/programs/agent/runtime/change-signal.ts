/** Called when something may have changed; names the database when only that one has. */
export type ChangeListener = (database: number | undefined) => void;

/** Notifies its subscribers that something may have changed, without saying what. */
export class ChangeSignal {
  readonly #listeners = new Set<ChangeListener>();

  /** Calls back at each change until the returned function is called. */
  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  notify(database?: number): void {
    for (const listener of this.#listeners) listener(database);
  }
}
