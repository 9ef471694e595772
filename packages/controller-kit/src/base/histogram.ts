/** How often values fell between bounds. */
export interface HistogramValues {
  /** For each bound how many values were at most so large and above the bound before; last those above all bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Counts values by bounds, without memory of its own for any of them. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  /** `bounds` ascend. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** Counts `value`, `times` over. */
  add(value: number, times = 1): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
    this.#counts[at] = (this.#counts[at] ?? 0) + times;
    this.#sum += value * times;
  }

  /** What was counted so far. */
  get distribution(): HistogramValues {
    return { counts: [...this.#counts], sum: this.#sum };
  }
}
