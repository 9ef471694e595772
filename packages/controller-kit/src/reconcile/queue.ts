import { backoffMs } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";

interface Delay {
  readonly at: number;
  readonly timer: AbortController;
}

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 15_000;

/**
 * Keys that wait for work. A key is in it once, however often it is added, and is never worked on twice at once: added
 * while it is worked on, it comes again afterwards.
 *
 *   add ──► ready ──next()──► working ──done()──► gone
 *             ▲                  │ add meanwhile: dirty
 *             └──────────────────┘ done() of a dirty key
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #ready = new Set<string>();
  readonly #working = new Set<string>();
  readonly #dirty = new Set<string>();
  readonly #delays = new Map<string, Delay>();
  readonly #failures = new Map<string, number>();
  #waiters: ((key: string | undefined) => void)[] = [];
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes `key` ready now. */
  add(key: string): void {
    if (this.#closed) return;
    this.#cancelDelay(key);
    if (this.#working.has(key)) {
      this.#dirty.add(key);
      return;
    }
    const waiter = this.#waiters.shift();
    if (waiter === undefined) {
      this.#ready.add(key);
      return;
    }
    this.#working.add(key);
    waiter(key);
  }

  /** Makes `key` ready after `ms` milliseconds; of several delays of a key the shortest counts. */
  addAfter(key: string, ms: number): void {
    if (this.#closed) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const at = this.#clock.uptimeMs() + ms;
    if ((this.#delays.get(key)?.at ?? Infinity) <= at) return;
    this.#cancelDelay(key);
    const timer = new AbortController();
    this.#delays.set(key, { at, timer });
    this.#clock.sleep(ms, timer.signal).then(
      () => {
        if (this.#delays.get(key)?.timer === timer) this.#delays.delete(key); // it is over: there is nothing to cancel
        this.add(key);
      },
      () => undefined, // cancelled: the key came earlier, or the queue is closed
    );
  }

  /** Makes `key` ready after a pause that doubles with each call, and is at least `leastMs`. */
  retry(key: string, leastMs = 0): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.addAfter(key, Math.max(leastMs, backoffMs(failures, FIRST_RETRY_MS, LONGEST_RETRY_MS)));
  }

  /** Starts the pauses of `retry` anew. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, once there is one; undefined after `close`. Each key must be given back with `done`. */
  next(): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    for (const key of this.#ready) {
      this.#ready.delete(key);
      this.#working.add(key);
      return Promise.resolve(key);
    }
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  done(key: string): void {
    this.#working.delete(key);
    if (this.#dirty.delete(key)) this.add(key);
  }

  /** Forgets everything that waits. */
  close(): void {
    this.#closed = true;
    this.#ready.clear();
    this.#dirty.clear();
    for (const key of [...this.#delays.keys()]) this.#cancelDelay(key);
    for (const waiter of this.#waiters) waiter(undefined);
    this.#waiters = [];
  }

  #cancelDelay(key: string): void {
    const delay = this.#delays.get(key);
    this.#delays.delete(key);
    delay?.timer.abort();
  }
}
