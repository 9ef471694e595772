import { createHistogram } from "node:perf_hooks";

/** What clients saw over time, by stretches of one length; the lists are as long as there are stretches. Times in milliseconds. */
export interface Timeline {
  /** When the first stretch began, since 1970. */
  readonly beganAt: number;
  readonly stretchMs: number;
  /** Requests that ended in each stretch, one way or the other. */
  readonly requests: readonly number[];
  readonly failed: readonly number[];
  /** Connections that were opened again. */
  readonly reconnects: readonly number[];
  readonly median: readonly number[];
  /** The longest request that did not wait for a reconnect. */
  readonly longestStaying: readonly number[];
  readonly longest: readonly number[];
}

/** Something that happened to a database while its clients were measured. */
export interface Mark {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly kind: "stage" | "move";
  readonly text: string;
}

/** Follows what clients see, in bounded memory: stretches become twice as long when there are too many. */
export class TimelineMeter {
  readonly #now: () => number;
  readonly #began: number;
  readonly #histogram = createHistogram();
  #stretchMs = FIRST_STRETCH_MS;
  #closed: Stretch[] = [];
  #current: Stretch = { ...EMPTY };

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number = () => performance.timeOrigin + performance.now()) {
    this.#now = now;
    this.#began = now();
  }

  /** `moved`: the connection was closed and made again while the request waited. */
  record(milliseconds: number, moved: boolean): void {
    const current = this.#stretch();
    current.requests += 1;
    current.longest = Math.max(current.longest, milliseconds);
    if (!moved) current.longestStaying = Math.max(current.longestStaying, milliseconds);
    this.#histogram.record(Math.max(1, Math.round(milliseconds * 1000)));
  }

  fail(): void {
    const current = this.#stretch();
    current.requests += 1;
    current.failed += 1;
  }

  reconnect(): void {
    this.#stretch().reconnects += 1;
  }

  /** Everything so far. */
  timeline(): Timeline {
    this.#stretch();
    const all = [...this.#closed, { ...this.#current, median: this.#median() }];
    const column = (name: keyof Stretch): number[] => all.map((one) => Math.round(one[name] * 100) / 100);
    return {
      beganAt: this.#began,
      stretchMs: this.#stretchMs,
      requests: column("requests"),
      failed: column("failed"),
      reconnects: column("reconnects"),
      median: column("median"),
      longestStaying: column("longestStaying"),
      longest: column("longest"),
    };
  }

  /** The stretch of this moment. */
  #stretch(): Stretch {
    while (this.#now() >= this.#began + (this.#closed.length + 1) * this.#stretchMs) {
      this.#closed.push({ ...this.#current, median: this.#median() });
      this.#current = { ...EMPTY };
      this.#histogram.reset();
      if (this.#closed.length >= MOST_STRETCHES) this.#double();
    }
    return this.#current;
  }

  #median(): number {
    return this.#histogram.count === 0 ? 0 : this.#histogram.percentile(50) / 1000;
  }

  #double(): void {
    this.#stretchMs *= 2;
    const pairs = this.#closed.filter((_, at) => at % 2 === 0);
    this.#closed = pairs.map((first, at) => join(first, this.#closed[at * 2 + 1] ?? EMPTY));
  }
}

interface Stretch {
  requests: number;
  failed: number;
  reconnects: number;
  median: number;
  longestStaying: number;
  longest: number;
}

const EMPTY: Readonly<Stretch> = { requests: 0, failed: 0, reconnects: 0, median: 0, longestStaying: 0, longest: 0 };

/** Of two medians the worse one, since percentiles cannot be averaged. */
function join(one: Stretch, other: Stretch): Stretch {
  return {
    requests: one.requests + other.requests,
    failed: one.failed + other.failed,
    reconnects: one.reconnects + other.reconnects,
    median: Math.max(one.median, other.median),
    longestStaying: Math.max(one.longestStaying, other.longestStaying),
    longest: Math.max(one.longest, other.longest),
  };
}

const FIRST_STRETCH_MS = 100;
/** An even number: stretches are joined by two. Six lists of so many numbers fit in one answer of a load. */
const MOST_STRETCHES = 8_192;
