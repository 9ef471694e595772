/** Lets only so many acts go on at once; the others begin in the order in which they came. */
export class ConcurrencyLimit {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Does `act` once it may begin, and resolves or rejects as that does. */
  async run<Result>(act: () => Result | Promise<Result>): Promise<Result> {
    if (this.#underWay < this.#most) this.#underWay++;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      return await act();
    } finally {
      const begin = this.#waiting.shift();
      if (begin === undefined) this.#underWay--;
      else begin(); // it takes this place
    }
  }
}
