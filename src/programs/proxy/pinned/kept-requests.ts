import { AccountedBytes } from "../limits/accounted-bytes.ts";
import { LIMITS } from "../limits/limits.ts";
import { OVER_BUDGET } from "../limits/memory-budget.ts";
import type { ConnectionState } from "./connection-state.ts";
import type { PendingQueue } from "./pending-queue.ts";
import type { PinnedParts } from "./pinned-parts.ts";

/** The memory of what a pinned session could have to send again: requests without a reply, an open transaction, and what it listens to. */
export class KeptRequests {
  readonly #pending: PendingQueue;
  readonly #state: ConnectionState;
  readonly #held: AccountedBytes;
  #isOver = false;

  constructor(parts: PinnedParts, pending: PendingQueue, state: ConnectionState) {
    this.#pending = pending;
    this.#state = state;
    this.#held = new AccountedBytes(parts.endpoint.memory, () => {
      parts.life.cut(`its transaction, its channels, or requests without a reply must be kept, and ${OVER_BUDGET}`);
    });
  }

  /** True when so much has no reply that no more requests are taken. */
  get isFull(): boolean {
    return this.#pending.unanswered >= LIMITS.inFlight || this.#pending.bytes > LIMITS.inFlightBytes;
  }

  /** To be called whenever more is kept, or less. */
  note(): void {
    if (!this.#isOver) this.#held.set(this.#pending.bytes + this.#state.keptBytes);
  }

  /** The session is over: nothing is kept for it from now on. */
  drop(): void {
    this.#isOver = true;
    this.#held.set(0);
  }
}
