import type { Clock } from "#kit/base/clock";
import { LIMITS } from "../limits/limits.ts";
import { startTimer } from "../timing/timer.ts";
import { OVER_BUDGET, type MemoryBudget, type MemoryHolder } from "../limits/memory-budget.ts";

/** What the limit of one client works with. */
export interface OutputContext {
  readonly clock: Clock;
  readonly budget: MemoryBudget;
  /** The client must be cut. */
  readonly cut: (why: string) => void;
}

/** What waits for one client. */
export interface QueuedOutput {
  readonly queuedBytes: number;
  readonly takenBytes: number;
  readonly heldBytes: number;
}

/**
 * Finds clients that do not read their replies. A large reply may be queued for a moment, so progress counts: too much
 * queued and nothing read for a second passes the limit. So does what waits for all clients together.
 */
export class OutputLimit implements MemoryHolder {
  readonly #output: QueuedOutput;
  readonly #context: OutputContext;
  #cancel: (() => void) | undefined;

  constructor(output: QueuedOutput, context: OutputContext) {
    this.#output = output;
    this.#context = context;
  }

  get heldBytes(): number {
    return this.#output.heldBytes;
  }

  /** To be called whenever more waits, or less. */
  check(): void {
    this.#context.budget.note(this);
    const { queuedBytes, takenBytes } = this.#output;
    if (queuedBytes <= LIMITS.queuedBytes) return;
    this.#cancel ??= this.#watch(takenBytes);
  }

  relieve(): void {
    this.#context.cut(`${UNREAD}, and ${OVER_BUDGET}`);
  }

  stop(): void {
    this.#cancel?.();
    this.#context.budget.forget(this);
  }

  #watch(takenBefore: number): () => void {
    return startTimer(this.#context.clock, PATIENCE_MS, () => {
      this.#cancel = undefined;
      if (this.#output.takenBytes > takenBefore) this.check();
      else this.#context.cut(UNREAD);
    });
  }
}

const UNREAD = "the client does not read its replies";
const PATIENCE_MS = 1000;
