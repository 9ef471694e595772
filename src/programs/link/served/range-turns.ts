/** Takes some of the ranges that differ in each round, so that each has its turn. */
export class RangeTurns {
  /** The last one that had its turn. */
  #last = -1;

  /** Some of the ranges, which are in their order: those after the last one first. */
  next(ranges: readonly number[], most: number): ReadonlySet<number> {
    const after = ranges.filter((range) => range > this.#last);
    const next = [...after, ...ranges.filter((range) => range <= this.#last)].slice(0, most);
    this.#last = next.at(-1) ?? -1;
    return new Set(next);
  }
}
