/** What is to be done once when what has arrived in this turn of the event loop, and in the next ones, has been looked at. */
class Soon {
  #work: (() => void)[] = [];
  #turns = 0;

  add(work: () => void): void {
    if (this.#work.push(work) > 1) return;
    this.#turns = TURNS;
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    if (--this.#turns > 0) {
      setImmediate(this.#end);
      return;
    }
    const work = this.#work;
    this.#work = [];
    for (const each of work) each();
  };
}

/** The other shards answer by then, when they have nothing else to do. */
const TURNS = 2;

/** For all clients of the process together. */
export const SOON = new Soon();
