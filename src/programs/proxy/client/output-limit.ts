import type { Clock } from "../../../core/base/clock.ts";
import { LIMITS } from "../limits/limits.ts";
import { startTimer } from "../timing/timer.ts";
import type { Wire } from "../upstream/wire.ts";
import type { OutputBudget, OutputHolder } from "./output-budget.ts";

/** What the limit needs of its client. */
export interface OutputOwner {
  readonly clock: Clock;
  readonly budget: OutputBudget;
  /** The client must be cut. */
  readonly cut: (why: string) => void;
}

/**
 * Finds clients that do not read their replies. A large reply may be queued for a moment, so progress counts: too much
 * queued and nothing read for a second, or far too much queued, passes the limit. So does what waits for all clients together.
 */
export class OutputLimit implements OutputHolder {
  readonly #wire: Wire;
  readonly #owner: OutputOwner;
  #cancel: (() => void) | undefined;

  constructor(wire: Wire, owner: OutputOwner) {
    this.#wire = wire;
    this.#owner = owner;
  }

  get queuedBytes(): number {
    return this.#wire.queuedBytes;
  }

  /** To be called after each write. */
  check(): void {
    const { queuedBytes } = this;
    if (queuedBytes <= COUNTED_BYTES) return;
    this.#owner.budget.note(this);
    if (queuedBytes <= LIMITS.queuedBytes) return;
    if (queuedBytes > LIMITS.maxQueuedBytes) this.#owner.cut(UNREAD);
    else if (this.#cancel === undefined) this.#watch(this.#wire.flushedBytes);
  }

  /** The kernel has taken all that was queued. */
  drained(): void {
    this.#owner.budget.forget(this);
  }

  relieve(): void {
    this.#owner.cut(`${UNREAD}, and those of all clients of the node take more than ${LIMITS.allQueuedBytes} bytes`);
  }

  stop(): void {
    this.#cancel?.();
    this.#owner.budget.forget(this);
  }

  #watch(flushedBefore: number): void {
    this.#cancel = startTimer(this.#owner.clock, PATIENCE_MS, () => {
      this.#cancel = undefined;
      if (this.queuedBytes <= LIMITS.queuedBytes) return;
      if (this.#wire.flushedBytes === flushedBefore) this.#owner.cut(UNREAD);
      else this.#watch(this.#wire.flushedBytes);
    });
  }
}

const UNREAD = "the client does not read its replies";
const PATIENCE_MS = 1000;
/** Less of one client is not counted: all that are allowed have no more than 160 MiB so. */
const COUNTED_BYTES = 16 * 1024;
