/** Work that was begun beside the passes goes on, or has ended with a result or with what it threw. */
export type BackgroundState<T> =
  | { readonly kind: "under-way" }
  | { readonly kind: "ended"; readonly result: T }
  | { readonly kind: "failed"; readonly error: unknown };

interface Begun<T> {
  readonly subject: string;
  readonly abort: AbortController;
  state: BackgroundState<T>;
}

/**
 * Acts that may take longer than a pass should, at most one for each key. They go on beside the passes of a controller, so that
 * nothing else waits for them. A pass that does not need an act any more ends it.
 */
export class Background<T> {
  readonly #ended: (key: string) => void;
  readonly #signal: AbortSignal;
  readonly #byKey = new Map<string, Begun<T>>();

  /** `ended` is called with the key whose act has ended: a pass is due. All acts end when `signal` aborts. */
  constructor(ended: (key: string) => void, signal: AbortSignal) {
    this.#ended = ended;
    this.#signal = signal;
  }

  /** The work that is under way for this key, or has ended and no pass has looked at it yet; undefined: none. */
  subjectOf(key: string): string | undefined {
    return this.#byKey.get(key)?.subject;
  }

  /** How many acts have not ended. */
  underWay(): number {
    return [...this.#byKey.values()].filter(({ state }) => state.kind === "under-way").length;
  }

  /** Begins `act` unless this subject of the key is under way. An end is returned once: the next call begins anew. Another subject ends the one before. */
  follow(key: string, subject: string, act: (signal: AbortSignal) => Promise<T>): BackgroundState<T> {
    const found = this.#byKey.get(key);
    if (found?.subject === subject) {
      if (found.state.kind !== "under-way") this.#byKey.delete(key);
      return found.state;
    }
    this.end(key);
    const begun: Begun<T> = { subject, abort: new AbortController(), state: { kind: "under-way" } };
    this.#byKey.set(key, begun);
    void this.#run(key, begun, act);
    return begun.state;
  }

  /** Ends the work for the key, which is not needed any more. */
  end(key: string): void {
    this.#byKey.get(key)?.abort.abort(new Error("it is not needed any more"));
    this.#byKey.delete(key);
  }

  /** Ends the work for each key of which `isMeant` is true. */
  endWhere(isMeant: (key: string) => boolean): void {
    for (const key of [...this.#byKey.keys()]) if (isMeant(key)) this.end(key);
  }

  async #run(key: string, begun: Begun<T>, act: (signal: AbortSignal) => Promise<T>): Promise<void> {
    const signal = AbortSignal.any([this.#signal, begun.abort.signal]);
    try {
      begun.state = { kind: "ended", result: await act(signal) };
    } catch (error) {
      begun.state = { kind: "failed", error };
    }
    if (!signal.aborted) this.#ended(key);
  }
}
