/** A comparison that has been asked for: it goes on, or has ended with what it threw, or with nothing. */
export type ComparisonState =
  { readonly kind: "under-way" } | { readonly kind: "equal" } | { readonly kind: "failed"; readonly error: unknown };

/** What is compared: another replica, or the same one in another epoch, is compared anew. */
interface Comparison {
  readonly subject: string;
  readonly abort: AbortController;
  state: ComparisonState;
}

/**
 * The comparisons of replicas with their primaries, at most one for each database. They go on beside the passes of the leader: a large
 * database takes minutes, and it fails over, changes and ends meanwhile as at any other time.
 */
export class Comparisons {
  readonly #ended: (database: number) => void;
  readonly #byDatabase = new Map<number, Comparison>();

  /** `ended` is called with the database whose comparison has ended. */
  constructor(ended: (database: number) => void) {
    this.#ended = ended;
  }

  /** This subject is being compared, or has been and nobody has asked for the end yet. */
  isKnown(database: number, subject: string): boolean {
    return this.#byDatabase.get(database)?.subject === subject;
  }

  /** Begins `compare` unless this subject is compared already. An end is returned once: the next call begins anew. */
  follow(database: number, subject: string, compare: (signal: AbortSignal) => Promise<void>): ComparisonState {
    const found = this.#byDatabase.get(database);
    if (found?.subject === subject) {
      if (found.state.kind !== "under-way") this.#byDatabase.delete(database);
      return found.state;
    }
    this.end(database);
    const begun: Comparison = { subject, abort: new AbortController(), state: { kind: "under-way" } };
    this.#byDatabase.set(database, begun);
    void this.#run(database, begun, compare);
    return begun.state;
  }

  /** The database needs no comparison now: one that is under way ends. */
  end(database: number): void {
    this.#byDatabase.get(database)?.abort.abort(new Error("the comparison is not needed any more"));
    this.#byDatabase.delete(database);
  }

  /** The leader leads no more. */
  endAll(): void {
    for (const database of this.#byDatabase.keys()) this.end(database);
  }

  async #run(database: number, begun: Comparison, compare: (signal: AbortSignal) => Promise<void>): Promise<void> {
    try {
      await compare(begun.abort.signal);
      begun.state = { kind: "equal" };
    } catch (error) {
      begun.state = { kind: "failed", error };
    }
    if (!begun.abort.signal.aborted) this.#ended(database);
  }
}
