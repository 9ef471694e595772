import type { EngineCommand } from "./engine-writes.ts";

/** What is known of a key whose time of expiry the engine may have lost. */
export interface ExpiringKeys {
  /** True unless it is known that the key does not expire. */
  mayExpire(key: string): boolean;
  /** A transaction that writes the time of expiry of the key is under way: where it finds no key, its mark says so. */
  isBeingTimed(key: string): boolean;
  /** Keys of which the transaction with that mark was to set the time of expiry, as long as its mark is awaited. */
  timedBy(mark: string): readonly string[];
  /**
   * The transaction with that mark repeats for the key an operation of another site that knew all that is known of the key: then the other site
   * looks.
   */
  isRepeated(key: string, mark: string): boolean;
}

/** A key as its engine holds it. */
export interface KeyLook {
  /** As PEXPIRETIME says it: -2 of a key that is not there, -1 of one that does not expire. */
  readonly until: number;
  /** Its elements; undefined where they were not counted. */
  readonly size: number | undefined;
}

/** Types of keys that are gone with their last element. */
export type EmptiedType = "hash" | "set" | "zset";

/**
 * Keys that may have lost their time of expiry, each until it is looked at. An engine forgets that time with the last element of a key, and its
 * stream does not say so. Where it has no such key when another site sets the time, its stream lacks the command.
 */
export class LostExpiries {
  readonly #known: ExpiringKeys;
  readonly #suspects = new Map<string, Suspect>();

  constructor(known: ExpiringKeys) {
    this.#known = known;
  }

  /** Keys that are not looked at yet. */
  get suspected(): readonly string[] {
    return [...this.#suspects.keys()];
  }

  /** False for a command of the site that `pass` has nothing to do for, when the site sets no time of expiry with it. */
  isConcernedBy(name: string, key: () => string, mark: string): boolean {
    if (REMOVES.has(name)) return !this.#known.isRepeated(key(), mark);
    return this.#suspects.size > 0 && ADDS.has(name);
  }

  /**
   * Takes commands that were executed at once, by a client or, with a mark, by the site. The answer: keys that are to be looked at now and were
   * not before.
   */
  pass(commands: readonly EngineCommand[], mark: string | undefined): readonly string[] {
    const emptied = commands.flatMap((command) => this.#suspectsIn(command, mark));
    const suspected = [...emptied, ...(mark === undefined ? [] : this.#missedIn(commands, mark))];
    if (this.#suspects.size > 0) for (const command of commands) this.#count(command);
    return suspected;
  }

  /** The key is to be looked at again: what was done to it meanwhile is not known. */
  suspect(key: string): void {
    this.#suspects.set(key, { type: undefined, added: Infinity });
  }

  /** Of which type the key was when it may have been emptied; undefined where that is not known. */
  typeOf(key: string): EmptiedType | undefined {
    return this.#suspects.get(key)?.type;
  }

  /**
   * The key was looked at, and all that was done before has passed. True when it may have lost a time of expiry: it is gone, or has no more elements than it
   * can have got since.
   */
  isLost(key: string, { until, size = 0 }: KeyLook): boolean {
    const suspect = this.#suspects.get(key);
    this.#suspects.delete(key);
    if (suspect === undefined || !this.#known.mayExpire(key) || this.#known.isBeingTimed(key)) return false;
    return until === GONE || (until === NEVER && size <= suspect.added);
  }

  #suspectsIn([name = "", key = ""]: EngineCommand, mark: string | undefined): readonly string[] {
    const type = REMOVES.get(name.toUpperCase());
    if (type === undefined || this.#suspects.has(key) || !this.#isEmptied(key, mark)) return [];
    this.#suspects.set(key, { type, added: 0 });
    return [key];
  }

  #missedIn(commands: readonly EngineCommand[], mark: string): readonly string[] {
    const missed = this.#known
      .timedBy(mark)
      .filter((key) => !this.#suspects.has(key) && !commands.some(([name, of]) => name === "PEXPIREAT" && of === key));
    for (const key of missed) this.#suspects.set(key, { type: undefined, added: 0 });
    return missed;
  }

  #isEmptied(key: string, mark: string | undefined): boolean {
    return this.#known.mayExpire(key) && (mark === undefined || !this.#known.isRepeated(key, mark));
  }

  #count([name = "", ...args]: EngineCommand): void {
    const count = ADDS.get(name.toUpperCase());
    const suspect = count && this.#suspects.get((name.toUpperCase() === "SMOVE" ? args[1] : args[0]) ?? "");
    if (suspect) suspect.added += count(args.length);
  }
}

interface Suspect {
  readonly type: EmptiedType | undefined;
  /** At most so many elements have come since. */
  added: number;
}

const [GONE, NEVER] = [-2, -1];

const REMOVES: ReadonlyMap<string, EmptiedType> = new Map([
  ["HDEL", "hash"],
  ["SREM", "set"],
  ["SMOVE", "set"],
  ...["ZREM", "ZPOPMIN", "ZPOPMAX", "ZREMRANGEBYSCORE", "ZREMRANGEBYRANK", "ZREMRANGEBYLEX"].map(
    (name) => [name, "zset"] as const,
  ),
]);

/** Elements that a command with so many arguments adds at most. */
const ADDS: ReadonlyMap<string, (args: number) => number> = new Map([
  ["SADD", (args) => args - 1],
  ["SMOVE", () => 1],
  ...["HSET", "HMSET", "ZADD"].map((name) => [name, (args: number) => args / 2] as const),
  ...["HSETNX", "HINCRBY", "ZINCRBY"].map((name) => [name, () => 1] as const),
]);
