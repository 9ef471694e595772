/** What is to be done once, a moment later, when more of the same has perhaps arrived. */
class Soon {
  #work: (() => void)[] = [];

  add(work: () => void): void {
    if (this.#work.push(work) === 1) setTimeout(this.#end, SOON_MS);
  }

  readonly #end = (): void => {
    const work = this.#work;
    this.#work = [];
    for (const each of work) each();
  };
}

/** The other shards have answered by then, when they have nothing else to do. */
const SOON_MS = 2;

/** For all clients of the process together. */
export const SOON = new Soon();
