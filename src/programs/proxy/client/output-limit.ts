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
 * queued, and nothing read of it at ten looks on end, a second apart, passes the limit. So does what waits for all clients together.
 * Looks are counted, not time: a machine that stood still has shown nothing.
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
    this.#cancel ??= this.#watch(takenBytes, 1);
  }

  relieve(): void {
    this.#context.cut(`${UNREAD}, and ${OVER_BUDGET}`);
  }

  stop(): void {
    this.#cancel?.();
    this.#context.budget.forget(this);
  }

  #watch(takenBefore: number, look: number): () => void {
    return startTimer(this.#context.clock, LOOK_MS, () => {
      this.#cancel = undefined;
      if (this.#output.takenBytes > takenBefore) this.check();
      else if (look < MOST_LOOKS) this.#cancel = this.#watch(takenBefore, look + 1);
      else this.#context.cut(UNREAD);
    });
  }
}

const UNREAD = "the client does not read its replies";
const LOOK_MS = 1_000;
/** A client whose runtime collects garbage, or that works on what it has read, may read nothing for some seconds. */
const MOST_LOOKS = 10;
