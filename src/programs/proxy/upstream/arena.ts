/** Bytes of one arena; a request that does not fit is sent from memory of its own. */
export const ARENA_BYTES = 64 * 1024;

/**
 * Memory into which requests are copied before they are sent, and in which they stay until they are answered: a request
 * that was not executed must be sent again.
 */
export interface Arena {
  readonly bytes: Buffer;
  /** Filled up to here. */
  used: number;
  /** Sent up to here. */
  sent: number;
  /** Flights that lie in it and are not answered. */
  batches: number;
}

/** Arenas that are free again, for all lanes of a process. */
export class ArenaPool {
  readonly #free: Arena[] = [];

  take(): Arena {
    return this.#free.pop() ?? { bytes: Buffer.allocUnsafeSlow(ARENA_BYTES), used: 0, sent: 0, batches: 0 };
  }

  give(arena: Arena): void {
    arena.used = 0;
    arena.sent = 0;
    if (this.#free.length < MOST_FREE) this.#free.push(arena);
  }
}

const MOST_FREE = 64;
