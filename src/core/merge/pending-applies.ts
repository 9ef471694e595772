import type { Operation } from "./operation.ts";

/** Transactions that were given to the engine, until their marks come back, and the keys that they write. */
export class PendingApplies {
  readonly #applies = new Map<string, Pending>();
  readonly #keys = new Map<string, Waiting>();
  /** Those that remove all keys. */
  readonly #flushes = new Set<string>();

  /** What another site did; its mark, the same in every process. */
  addOperation(operation: Operation): string {
    const mark = `${operation.dot.origin}:${operation.dot.seq}`;
    if (operation.effects.some(({ kind }) => kind === "flush")) this.#flushes.add(mark);
    const keys = new Set(operation.effects.flatMap((effect) => (effect.kind === "flush" ? [] : [effect.key])));
    this.#add(mark, { operation, keys });
    return mark;
  }

  addRepair(mark: string, key: string): void {
    this.#add(mark, { operation: undefined, keys: new Set([key]) });
  }

  /** A client wrote the key, perhaps before a transaction that does not know of it. */
  race(key: string): void {
    for (const mark of this.#flushes) {
      const { keys } = this.#applies.get(mark) ?? { keys: undefined };
      if (keys === undefined || keys.has(key)) continue;
      keys.add(key);
      this.#wait(key, true);
    }
    const waiting = this.#keys.get(key);
    if (waiting !== undefined) waiting.isRaced = true;
  }

  has(key: string): boolean {
    return this.#flushes.size > 0 || this.#keys.has(key);
  }

  /** An operation on the key is under way, and not only a repair, which every site does that begins with what is known of the key. */
  hasOperation(key: string): boolean {
    return this.#flushes.size > 0 || (this.#keys.get(key)?.operations ?? 0) > 0;
  }

  /** The mark came back; `raced`: the keys that no transaction is under way for, and that a client wrote before one. */
  settle(mark: string): { readonly operation: Operation | undefined; readonly raced: readonly string[] } | undefined {
    const pending = this.#applies.get(mark);
    if (pending === undefined) return undefined;
    this.#applies.delete(mark);
    this.#flushes.delete(mark);
    return { operation: pending.operation, raced: [...pending.keys].filter((key) => this.#isRacedAtEnd(key, pending)) };
  }

  get marks(): readonly string[] {
    return [...this.#applies.keys()];
  }

  /** The operations that the engine has not shown to have applied, in their order. */
  get operations(): readonly Operation[] {
    return [...this.#applies.values()].flatMap(({ operation }) => operation ?? []);
  }

  #add(mark: string, pending: Pending): void {
    this.#applies.set(mark, pending);
    for (const key of pending.keys) this.#wait(key, pending.operation !== undefined);
  }

  #wait(key: string, isOperation: boolean): void {
    const { applies, operations, isRaced } = this.#keys.get(key) ?? { applies: 0, operations: 0, isRaced: false };
    this.#keys.set(key, { applies: applies + 1, operations: operations + (isOperation ? 1 : 0), isRaced });
  }

  #isRacedAtEnd(key: string, { operation }: Pending): boolean {
    const waiting = this.#keys.get(key);
    if (waiting === undefined) return false;
    waiting.applies -= 1;
    if (operation !== undefined) waiting.operations -= 1;
    if (waiting.applies > 0) return false;
    this.#keys.delete(key);
    return waiting.isRaced;
  }
}

/** How many transactions on a key are under way, and how many of them are operations. */
interface Waiting {
  applies: number;
  operations: number;
  isRaced: boolean;
}

interface Pending {
  /** Undefined of a repair. */
  readonly operation: Operation | undefined;
  readonly keys: Set<string>;
}
