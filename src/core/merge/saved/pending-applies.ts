import type { EngineCommand } from "../state/engine-writes.ts";
import type { KeyPart, RacedKey } from "../operations/key-part.ts";
import { DueRepairs } from "../state/due-repairs.ts";
import type { CodedOperation } from "../operations/operation-codec.ts";
import type { Effect, KeyEffect } from "../operations/operation.ts";
import type { LoggedEntry, PendingSummary } from "./saved-site.ts";
import { WaitingKey } from "../state/waiting-key.ts";
import { NOTHING, type VersionVector } from "../operations/version-vector.ts";

/** A transaction for the engine of a site. Its mark comes back in the stream of the engine. */
export interface Apply {
  readonly mark: string;
  readonly commands: readonly EngineCommand[];
  /** What has to be logged in the same transaction; undefined of a repair. */
  readonly logged: LoggedEntry | undefined;
}

/** A transaction whose mark came back. */
export interface SettledTransaction {
  readonly operation: CodedOperation | undefined;
  /** For a summary: what the engine has applied with the transaction. */
  readonly received: VersionVector;
  /** What a client wrote before a transaction that may not know of it, while no other transaction writes the same. */
  readonly raced: readonly RacedKey[];
}

/** Transactions that were given to the engine, until their marks come back, and the keys that they write. */
export class PendingApplies {
  readonly #applies = new Map<string, Pending>();
  readonly #keys = new Map<string, WaitingKey>();
  /** Those that remove all keys. */
  readonly #flushes = new Set<string>();
  /** Tells the marks of this process from those of an earlier one. */
  readonly #life: string;
  #marks = 0;
  readonly due = new DueRepairs();

  constructor(life: string) {
    this.#life = life;
  }

  /** Adds an operation of another site, with the part of each key that it writes; the answer is its mark, the same in every process. */
  addOperation(operation: CodedOperation, keys: Map<string, KeyPart>): string {
    const mark = `${operation.dot.origin}:${operation.dot.seq}`;
    if (operation.effects.some(({ kind }) => kind === "flush")) this.#flushes.add(mark);
    this.#add(mark, { operation, received: NOTHING, keys, isRepair: false });
    return mark;
  }

  /** A mark that no other transaction has. */
  nextMark(kind: "summary" | "repair"): string {
    this.#marks += 1;
    return `${kind}:${this.#life}:${this.#marks}`;
  }

  /** Adds a repair of a part of a key; the answer is its mark. */
  addRepair(key: string, part: KeyPart): string {
    const mark = this.nextMark("repair");
    this.due.begin(mark, { key, part });
    this.#add(mark, { operation: undefined, received: NOTHING, keys: new Map([[key, part]]), isRepair: true });
    return mark;
  }

  /** Adds a summary of these keys, which perhaps removes all others. */
  addSummary({ mark, received }: PendingSummary, keys: readonly string[], isFlushed: boolean): void {
    if (isFlushed) this.#flushes.add(mark);
    const all = new Map(keys.map((key) => [key, "all"] as const));
    this.#add(mark, { operation: undefined, received, keys: all, isRepair: false });
  }

  /** Notes what a client did, perhaps before a transaction that does not know of it; `all`: what the client may have removed. */
  race(effects: readonly Effect[], all: () => readonly { readonly key: string }[]): void {
    for (const effect of effects)
      if (effect.kind === "flush") for (const { key } of all()) this.#race(key, "flush");
      else this.#race(effect.key, effect);
  }

  #race(key: string, effect: KeyEffect | "flush"): void {
    for (const mark of this.#flushes) {
      const { keys } = this.#applies.get(mark) ?? { keys: undefined };
      if (keys === undefined || keys.has(key)) continue;
      keys.set(key, "all");
      this.#wait(key).begin("all", true);
    }
    const waiting = this.#keys.get(key);
    waiting?.race(effect);
    this.due.look(key, waiting);
  }

  has(key: string): boolean {
    return this.#flushes.size > 0 || this.#keys.has(key);
  }

  /** An operation on the key is under way, and not only a repair, which every site does that begins with what is known of the key. */
  hasOperation(key: string): boolean {
    return this.#flushes.size > 0 || this.#keys.get(key)?.hasOperation === true;
  }

  /** The mark came back; undefined of one that nothing waits for. */
  settle(mark: string): SettledTransaction | undefined {
    const pending = this.#applies.get(mark);
    if (pending === undefined) return undefined;
    this.#applies.delete(mark);
    this.#flushes.delete(mark);
    this.due.end(mark);
    const { operation, received, keys } = pending;
    const raced = [...keys].flatMap(([key, part]) => this.#end(key, part, pending) ?? []);
    return { operation, received, raced };
  }

  /** What the transaction does for another site, if its mark has not come back and it is no repair or summary. */
  operationOf(mark: string): CodedOperation | undefined {
    return this.#applies.get(mark)?.operation;
  }

  /** Keys of which a transaction writes the time of expiry; `marks`: those of the transaction, with a space between. */
  timedBy(marks: string): readonly string[] {
    return marks.split(" ").flatMap((mark) => {
      const { keys } = this.#applies.get(mark) ?? { keys: undefined };
      return keys === undefined
        ? []
        : [...keys].flatMap(([key, part]) => (part === "all" || part.hasExpiry ? key : []));
    });
  }

  /** A transaction writes the time of expiry of the key, or a repair that is due will write it. */
  writesTimeOf(key: string): boolean {
    const parts = [...this.#applies.values()].map(({ keys }) => keys.get(key));
    return [...parts, this.#keys.get(key)?.due].some((part) => part === "all" || part?.hasExpiry === true);
  }

  get marks(): readonly string[] {
    return [...this.#applies.keys()];
  }

  /** The operations that the engine has not shown to have applied, in their order. */
  get operations(): readonly CodedOperation[] {
    return [...this.#applies.values()].flatMap(({ operation }) => operation ?? []);
  }

  /** Summaries that the engine has not shown to have applied. */
  get summaries(): readonly PendingSummary[] {
    return [...this.#applies].flatMap(([mark, { operation, received, isRepair }]) =>
      operation === undefined && !isRepair ? { mark, received } : [],
    );
  }

  #add(mark: string, pending: Pending): void {
    this.#applies.set(mark, pending);
    for (const [key, part] of pending.keys) this.#wait(key).begin(part, !pending.isRepair);
  }

  #wait(key: string): WaitingKey {
    const waiting = this.#keys.get(key) ?? new WaitingKey();
    this.#keys.set(key, waiting);
    return waiting;
  }

  #end(key: string, part: KeyPart, { isRepair }: Pending): RacedKey | undefined {
    const waiting = this.#keys.get(key);
    const raced = waiting?.end(part, !isRepair);
    this.due.look(key, waiting);
    if (waiting?.isIdle === true) this.#keys.delete(key);
    return raced && { key, part: raced };
  }
}

interface Pending {
  /** Undefined of a repair and of a summary. */
  readonly operation: CodedOperation | undefined;
  readonly received: VersionVector;
  readonly isRepair: boolean;
  readonly keys: Map<string, KeyPart>;
}
