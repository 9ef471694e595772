/** Counts and times of one kind of event, in milliseconds. */
export class Series {
  readonly name: string;
  readonly #times: number[] = [];
  #requests = 0;
  #failed = 0;
  #lost = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Adds one event, and prints how it went: a long run shows that it goes on. */
  add(of: number, ms: number, { requests, failed, lost }: { requests: number; failed: number; lost: number }): void {
    this.#times.push(ms);
    this.#requests += requests;
    this.#failed += failed;
    this.#lost += lost;
    console.log(
      `${this.name} ${this.#times.length} of ${of}: ${ms.toFixed(1)} ms, ${requests} requests, ${failed} failed, ${lost} lost`,
    );
  }

  get failed(): number {
    return this.#failed;
  }

  get lost(): number {
    return this.#lost;
  }

  row(): string {
    const times = this.#times.toSorted((a, b) => a - b);
    const at = (share: number): string =>
      (times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? Number.NaN).toFixed(1);
    const counts = [times.length, this.#requests, this.#failed, this.#lost].map(String);
    return [this.name.padEnd(12), ...[...counts, at(0.5), at(0.99), at(1)].map((cell) => cell.padStart(10))].join("");
  }
}

/** The head of a table whose rows are those of series. */
export function head(measured: string): string {
  const columns = ["count", "requests", "failed", "lost", "p50 ms", "p99 ms", "max ms"];
  return ["".padEnd(12), ...columns.map((cell) => cell.padStart(10))].join("") + `   (${measured})`;
}
