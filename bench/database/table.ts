import { writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";

/** What is counted of one event. */
export interface Counted {
  readonly requests: number;
  readonly failed: number;
  readonly lost: number;
  readonly complaints: readonly string[];
}

const NOTHING: Counted = { requests: 0, failed: 0, lost: 0, complaints: [] };

/** Counts and times of one kind of event, in milliseconds. */
export class Series {
  readonly name: string;
  readonly #began = performance.now();
  readonly #times: number[] = [];
  readonly #complaints: string[] = [];
  #requests = 0;
  #failed = 0;
  #lost = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Adds one event of so many, and prints how it went and how long the rest will take; `also` follows in brackets. */
  add(of: number, ms: number, counted: Counted, also = ""): void {
    const { requests, failed, lost, complaints } = counted;
    this.note(ms, counted);
    const done = this.#times.length;
    const leftMs = ((performance.now() - this.#began) / done) * Math.max(0, of - done);
    console.log(
      `${this.name} ${done} of ${of}: ${ms.toFixed(1)} ms${also === "" ? "" : ` (${also})`}, ${requests} requests, ` +
        `${failed} failed, ${lost} lost; about ${Math.ceil(leftMs / 60_000)} min left`,
    );
    for (const complaint of complaints) console.log(`  ${complaint}`);
  }

  /** Adds one event. */
  note(ms: number, { requests, failed, lost, complaints }: Counted = NOTHING): void {
    this.#times.push(ms);
    this.#requests += requests;
    this.#failed += failed;
    this.#lost += lost;
    this.#complaints.push(...complaints);
  }

  get failed(): number {
    return this.#failed;
  }

  get lost(): number {
    return this.#lost;
  }

  row(): string {
    const { count, requests, failed, lost, p50, p99, longest } = this.figures();
    const cells = [count, requests, failed, lost, ...[p50, p99, longest].map((ms) => ms.toFixed(1))].map(String);
    return [this.name.padEnd(12), ...cells.map((cell) => cell.padStart(10))].join("");
  }

  figures() {
    const times = this.#times.toSorted((a, b) => a - b);
    const at = (share: number): number =>
      times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? Number.NaN;
    return {
      kind: this.name,
      count: times.length,
      requests: this.#requests,
      failed: this.#failed,
      lost: this.#lost,
      p50: at(0.5),
      p99: at(0.99),
      longest: at(1),
      times: this.#times,
      complaints: this.#complaints,
    };
  }
}

/** Prints a table of these series, and writes it with each single time to a file. */
export function conclude(measured: string, all: readonly Series[], file: string): void {
  const columns = ["count", "requests", "failed", "lost", "p50 ms", "p99 ms", "max ms"];
  console.log(`\n${["".padEnd(12), ...columns.map((cell) => cell.padStart(10))].join("")}   (${measured})`);
  for (const series of all) console.log(series.row());
  const machine = { processors: availableParallelism(), load: loadavg(), node: process.version };
  const result = { measured, at: new Date().toISOString(), ...machine, kinds: all.map((series) => series.figures()) };
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
}
