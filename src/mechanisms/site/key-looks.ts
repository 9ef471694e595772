import type { Effect } from "../../core/merge/operation.ts";
import type { Reply } from "../../ports/resp/reply.ts";
import { effectsOfReads, READS_OF_A_KEY, readsOf } from "./key-reads.ts";
import { readAt, type TransactionContext } from "./transaction.ts";

/** Called for each key with what it holds, as what makes it so elsewhere. */
export type TakeKey = (key: string, effects: readonly Effect[]) => void;

/** Keys that are read without being captured: who asked gets them at the place of the stream where they were read. */
export class KeyLooks {
  readonly #context: TransactionContext;
  readonly #name: string;
  readonly #pending = new Map<string, PendingLook>();
  #number = 0;

  /** `name`: tells its marks from those of an earlier link. */
  constructor(context: TransactionContext, name: string) {
    this.#context = context;
    this.#name = name;
  }

  /** Resolves when `take` was called for each key; rejects when the connection ends, or the signal comes. */
  async look(keys: readonly string[], take: TakeKey): Promise<void> {
    const { signal } = this.#context;
    signal.throwIfAborted();
    this.#number += 1;
    const mark = `look:${this.#name}:${this.#number}`;
    const replies = readAt(this.#context, mark, keys.flatMap(readsOf));
    const reached = Promise.withResolvers<void>();
    const abort = (): void => void reached.reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    replies.catch(reached.reject);
    this.#pending.set(mark, { keys, take, replies, reached });
    try {
      await reached.promise;
    } finally {
      signal.removeEventListener("abort", abort);
      this.#pending.delete(mark);
    }
  }

  /** A mark came by in the stream; false when it is none of these. What follows in the stream waits until this resolves. */
  async pass(mark: string): Promise<boolean> {
    const look = this.#pending.get(mark);
    if (look === undefined) return false;
    const replies = await look.replies;
    for (const [index, key] of look.keys.entries()) {
      const begin = index * READS_OF_A_KEY;
      look.take(key, effectsOfReads(key, replies.slice(begin, begin + READS_OF_A_KEY)));
    }
    look.reached.resolve();
    return true;
  }
}

interface PendingLook {
  readonly keys: readonly string[];
  readonly take: TakeKey;
  readonly replies: Promise<readonly Reply[]>;
  readonly reached: PromiseWithResolvers<void>;
}
