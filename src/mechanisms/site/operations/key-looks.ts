import type { Effect } from "../../../core/merge/operations/operation.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import { effectsOfReads, READS_OF_A_KEY, readsOf } from "./key-reads.ts";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { groupsOf, isLarge, shapesOf, type KeyShape } from "./key-shapes.ts";
import { markUnchanged, readWatched } from "./watched-reads.ts";
import { readAt, type TransactionContext } from "../saved/transaction.ts";

/** Called for each key with the effects that write elsewhere what it holds. */
export type TakeKey = (key: string, effects: readonly Effect[]) => void;

/** How large keys are read. */
export interface LookContext extends TransactionContext {
  /** One more connection to the engine, for reads that no transaction of the link may interrupt. */
  readonly beside: () => Promise<EngineClient>;
}

/** So often a large key is read part by part; one that changes each time is read whole. */
const TRIES = 5;

/** Keys that are read without being captured: who asked gets them at the place of the stream where they were read. */
export class KeyLooks {
  readonly #context: LookContext;
  readonly #name: string;
  readonly #pending = new Map<string, PendingLook>();
  #beside: Promise<EngineClient> | undefined;
  /** Large keys are read one after the other: a connection watches for one of them. */
  #turn: Promise<unknown> = Promise.resolve();
  #number = 0;

  /** `name`: tells its marks from those of an earlier link. */
  constructor(context: LookContext, name: string) {
    this.#context = context;
    this.#name = name;
  }

  /** Resolves when `take` was called for each key; rejects when the connection ends, or the signal comes. Sizes are asked first. */
  async look(keys: readonly string[], take: TakeKey): Promise<void> {
    this.#context.signal.throwIfAborted();
    for (const group of groupsOf(await shapesOf(this.#context.client, keys))) {
      const [first] = group;
      if (first === undefined || !isLarge(first)) await this.#lookAtOnce(namesOf(group), take);
      else await (this.#turn = this.#turn.catch(() => undefined).then(() => this.#lookInParts(first, take)));
    }
  }

  async #lookAtOnce(keys: readonly string[], take: TakeKey): Promise<void> {
    const mark = this.#nextMark();
    const replies = readAt(this.#context, mark, keys.flatMap(readsOf));
    await this.#reached(mark, { keys, take, replies }, replies);
  }

  async #lookInParts(shape: KeyShape, take: TakeKey): Promise<void> {
    const client = await (this.#beside ??= this.#context.beside());
    for (let tries = 0; tries < TRIES; tries += 1) {
      this.#context.signal.throwIfAborted();
      const [known = shape] = await shapesOf(client, [shape.key]);
      const parts = isLarge(known) ? await readWatched(client, known) : undefined;
      if (
        parts !== undefined &&
        (await this.#isTaken(client, { keys: [shape.key], take, replies: Promise.resolve(parts) }))
      )
        return;
    }
    await this.#lookAtOnce([shape.key], take);
  }

  /** False when the key has changed since it was watched: the mark never comes then. */
  async #isTaken(client: EngineClient, look: Omit<PendingLook, "reached">): Promise<boolean> {
    const mark = this.#nextMark();
    const written = Promise.withResolvers<void>();
    const reached = this.#reached(mark, look, written.promise).then(
      () => true,
      (error: unknown) => {
        if (error === CHANGED) return false;
        throw error;
      },
    );
    markUnchanged(client, this.#context.slice, mark).then((isUnchanged) => {
      if (!isUnchanged) written.reject(CHANGED);
    }, written.reject);
    return reached;
  }

  #nextMark(): string {
    this.#number += 1;
    return `look:${this.#name}:${this.#number}`;
  }

  /** Resolves when the mark has come by; rejects when the write of it does. */
  async #reached(mark: string, look: Omit<PendingLook, "reached">, written: Promise<unknown>): Promise<void> {
    const { signal } = this.#context;
    const reached = Promise.withResolvers<void>();
    const abort = (): void => void reached.reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    written.catch(reached.reject);
    this.#pending.set(mark, { ...look, reached });
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

const CHANGED = new Error("the key has changed while it was read");

function namesOf(shapes: readonly KeyShape[]): readonly string[] {
  return shapes.map(({ key }) => key);
}

interface PendingLook {
  readonly keys: readonly string[];
  readonly take: TakeKey;
  readonly replies: Promise<readonly Reply[]>;
  readonly reached: PromiseWithResolvers<void>;
}
