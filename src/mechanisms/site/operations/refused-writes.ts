import type { Apply } from "../../../core/merge/saved/pending-applies.ts";
import type { Log } from "#kit/base/log";
import { overflowBound, type EngineCommand } from "../../../core/merge/state/engine-writes.ts";
import { linkTransaction, writeMark } from "../saved/marks.ts";
import { executedAll, requireNone, type RefusedCommand, type TransactionContext } from "../saved/transaction.ts";

export interface RefusedWritesOptions extends TransactionContext {
  readonly log: Log;
  /** Writes the key as it is known. */
  readonly rewrite: (key: string) => void;
  /** Has every site hold what the key holds here. */
  readonly spread: (key: string) => void;
}

/**
 * What becomes of a write of another site that an engine refuses when it runs. A sum beyond 64 bits becomes the last number there is, at every
 * site; any other key is written as it is known, and what cannot be written here either is given up everywhere.
 */
export class RefusedWrites {
  readonly #options: RefusedWritesOptions;
  #count = 0;

  constructor(options: RefusedWritesOptions) {
    this.#options = options;
  }

  /** How many there were. */
  get count(): number {
    return this.#count;
  }

  /**
   * Looks at what the engine has refused of a transaction whose EXEC is at `end`, behind these applies; rejects when that is a write of what the
   * link keeps, without which the site cannot go on.
   */
  async look(applies: readonly Apply[], refused: readonly RefusedCommand[], end: number): Promise<void> {
    const of = applies.flatMap(({ commands, logged }) => commands.map(() => ({ isRepair: logged === undefined })));
    const first = end - of.length;
    requireNone(refused.filter(({ index }) => index < first));
    for (const { command, index, why } of refused) {
      const isRepair = of[index - first]?.isRepair === true;
      await this.#take({ command: command.map(String), why, isRepair });
    }
  }

  async #take({ command, why, isRepair }: RefusedWrite): Promise<void> {
    const { log, rewrite, spread, slice } = this.#options;
    const [name = "", key] = command;
    this.#count += 1;
    const bound = OVERFLOW.test(why) ? overflowBound(command) : undefined;
    log.warn("the engine refuses a write of another site", { command: name, why, isBeyond64Bits: bound !== undefined });
    if (key === undefined) return;
    if (bound !== undefined) {
      const mark = writeMark(BOUNDED, slice.kept.mark);
      await executedAll(this.#options, linkTransaction([mark], [boundedIncrement(command, bound)]));
      spread(key);
    } else if (isRepair) spread(key);
    else rewrite(key);
  }
}

/** What the engine has refused of what the link writes for other sites. */
interface RefusedWrite {
  readonly command: EngineCommand;
  readonly why: string;
  /** It was to bring the key to what is known of it. */
  readonly isRepair: boolean;
}

const OVERFLOW = /overflow/;
const BOUNDED = "bounded";

/** The increment, or the bound where it still goes beyond: a client may have written in between. */
function boundedIncrement([name = "", key = "", ...args]: EngineCommand, bound: string): EngineCommand {
  const [by = "", field] = args.toReversed();
  return [
    "EVAL",
    SCRIPTS[name === "HINCRBY" ? "hash" : "string"],
    "1",
    key,
    by,
    bound,
    ...(field === undefined ? [] : [field]),
  ];
}

const SCRIPTS = {
  string: `local done = redis.pcall("INCRBY", KEYS[1], ARGV[1])
if type(done) == "table" and done.err then redis.call("SET", KEYS[1], ARGV[2], "KEEPTTL") end
return 1`,
  hash: `local done = redis.pcall("HINCRBY", KEYS[1], ARGV[3], ARGV[1])
if type(done) == "table" and done.err then redis.call("HSET", KEYS[1], ARGV[3], ARGV[2]) end
return 1`,
} as const;
