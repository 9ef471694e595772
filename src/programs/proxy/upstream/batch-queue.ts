import type { RequestBatch } from "./arena.ts";

/** Requests on a lane that are not answered, in the order in which they were put there: those of one owner that follow each other are one batch. */
export class BatchQueue {
  #batches: RequestBatch[] = [];
  #head = 0;

  get first(): RequestBatch | undefined {
    return this.#batches[this.#head];
  }

  get last(): RequestBatch | undefined {
    return this.#batches.length > this.#head ? this.#batches.at(-1) : undefined;
  }

  push(batch: RequestBatch): void {
    this.#batches.push(batch);
  }

  /** The first batch is answered. */
  dropFirst(): void {
    this.#head++;
    if (this.#head <= COMPACT_AT || this.#head * 2 <= this.#batches.length) return;
    this.#batches.splice(0, this.#head);
    this.#head = 0;
  }

  /** Gives away all of them. */
  takeAll(): readonly RequestBatch[] {
    const all = this.#batches.slice(this.#head);
    this.#batches = [];
    this.#head = 0;
    return all;
  }
}

const COMPACT_AT = 1024;
