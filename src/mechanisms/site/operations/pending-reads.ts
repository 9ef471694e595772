import type { Effect } from "../../../core/merge/operations/operation.ts";
import { readAt, type TransactionContext } from "../saved/transaction.ts";
import type { WantedRead, PendingRead, Reached, Unread } from "./capture-parts.ts";
import { readsOf } from "./key-reads.ts";
import { ReadRests } from "./read-rests.ts";
import { membersOf, together, type ReadTurn } from "./read-turns.ts";

/** Keys that are read where a command does not say what clients did. */
export class PendingReads {
  readonly #context: TransactionContext;
  readonly #name: string;
  /** Not asked yet. */
  readonly #unread = new Map<string, Unread>();
  /** Asked, until the mark comes by. */
  readonly #asked = new Map<string, PendingRead>();
  readonly #rests = new ReadRests();
  #number = 0;

  /** `name`: tells its marks from those of an earlier link. */
  constructor(context: TransactionContext, name: string) {
    [this.#context, this.#name] = [context, name];
  }

  /** The places before what is not captured without them. */
  get begins(): readonly Reached[] {
    return this.#all.flatMap(({ wanted }) => wanted.map(({ begin }) => begin));
  }

  get #all(): readonly Unread[] {
    return [...this.#unread.values(), ...this.#asked.values()];
  }

  /** Has a key read, or members of it. */
  read(key: string, { wanted, latest, afterMs }: ReadTurn): void {
    const known = this.#unread.get(key);
    if (known !== undefined) {
      known.wanted = together(known.wanted, wanted);
      known.latest = Math.max(known.latest, latest);
      return;
    }
    const unread: Unread = { wanted, latest };
    this.#unread.set(key, unread);
    const { clock, signal } = this.#context;
    const rest = membersOf(wanted) === undefined ? this.#rests.msFor(key, clock.uptimeMs()) : 0;
    const restMs = Math.max(rest, afterMs);
    const ask = (): void => this.#ask(key, unread);
    if (restMs === 0) setImmediate(ask);
    else clock.sleep(restMs, signal).then(ask, () => undefined); // aborted: nothing is asked any more
  }

  #ask(key: string, unread: Unread): void {
    if (this.#unread.get(key) !== unread) return;
    this.#unread.delete(key);
    this.#number += 1;
    const mark = `read:${this.#name}:${this.#number}`;
    const all = membersOf(unread.wanted);
    const members = all && [...all];
    const reads = members === undefined ? readsOf(key) : [["ZMSCORE", key, ...members]];
    const replies = readAt(this.#context, mark, reads);
    replies.catch(() => undefined); // who waits for it, or for the connection, has the failure
    this.#asked.set(mark, { ...unread, key, members, replies, askedMs: this.#context.clock.uptimeMs() });
  }

  /** Asks at once for those that wait for their turn. */
  askWhere(isWanted: (unread: Unread, key: string) => boolean): void {
    for (const [key, unread] of this.#unread) if (isWanted(unread, key)) this.#ask(key, unread);
  }

  /** What was asked for with the mark. */
  get(mark: string): PendingRead | undefined {
    return this.#asked.get(mark);
  }

  /** The mark has come by. */
  end(mark: string): void {
    this.#asked.delete(mark);
  }

  /** A large key rests after it was read. */
  rest({ key, askedMs }: PendingRead, effects: readonly Effect[]): void {
    const now = this.#context.clock.uptimeMs();
    this.#rests.add(key, { effects, tookMs: now - askedMs, now });
  }

  /** Those of what clients have changed since that place, counted as `Place.written` is: each resolves when that is captured. */
  since(written: number): readonly Promise<void>[] {
    const changed = this.#all.filter(({ latest }) => latest > written);
    return changed.flatMap((read) => {
      const waits = read.wanted.map((each) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const more: WantedRead = { ...each, waiting: [...each.waiting, resolve] };
        return { promise, more };
      });
      read.wanted = waits.map(({ more }) => more);
      return waits.map(({ promise }) => promise);
    });
  }

  /** Resolves when all of these have, or the signal comes. */
  async over(captured: readonly Promise<void>[]): Promise<void> {
    const { signal } = this.#context;
    const ended = Promise.withResolvers<unknown>();
    signal.addEventListener("abort", ended.resolve, { once: true });
    if (!signal.aborted) await Promise.race([Promise.all(captured), ended.promise]);
    signal.removeEventListener("abort", ended.resolve);
  }

  /** The key is read, or members of it. */
  has(key: string): boolean {
    return this.#unread.has(key) || [...this.#asked.values()].some((read) => read.key === key);
  }

  /** All that the key holds is read. */
  hasAll(key: string): boolean {
    const unread = this.#unread.get(key);
    return (
      (unread !== undefined && membersOf(unread.wanted) === undefined) ||
      [...this.#asked.values()].some((read) => read.key === key && read.members === undefined)
    );
  }
}
