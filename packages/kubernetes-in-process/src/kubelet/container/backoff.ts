import { backoffMs } from "../../../../controller-kit/src/base/backoff.ts";

/** How failures of one kind space out the attempts that follow them. */
export interface RetryPolicy {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** The pauses that Kubernetes makes between pulls of an image and between restarts of a container. */
export const KUBERNETES_RETRY: RetryPolicy = { baseMs: 10_000, maxMs: 300_000 };

/** Counts failures and says when the next attempt may be. */
export class FailureBackoff {
  readonly #policy: RetryPolicy;
  #failures = 0;
  #notBefore = 0;
  #pauseMs = 0;

  constructor(policy: RetryPolicy) {
    this.#policy = policy;
  }

  /** Notes a failure at `nowMs`; `free` failures at the beginning cost no pause. */
  failed(nowMs: number, free: number): void {
    this.#pauseMs =
      this.#failures < free ? 0 : backoffMs(this.#failures - free, this.#policy.baseMs, this.#policy.maxMs);
    this.#notBefore = nowMs + this.#pauseMs;
    this.#failures += 1;
  }

  /** Milliseconds until the next attempt; 0 when it may be made. */
  remainingMs(nowMs: number): number {
    return Math.max(0, this.#notBefore - nowMs);
  }

  /** Length of the present pause. */
  get pauseMs(): number {
    return this.#pauseMs;
  }

  reset(): void {
    this.#failures = 0;
    this.#notBefore = 0;
  }
}
