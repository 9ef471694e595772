import type { CodedOperation } from "../../../core/merge/operations/operation-codec.ts";
import type { LoggedEntry } from "../../../core/merge/saved/saved-site.ts";
import type { Apply } from "../../../core/merge/saved/pending-applies.ts";
import { linkTransaction, writeMark, type LinkKeyCommand } from "../saved/marks.ts";
import type { Place } from "../saved/place.ts";
import type { SiteSlice } from "../saved/slice.ts";
import type { LookContext } from "./key-looks.ts";
import { OverRemovals, type OverFinder } from "./over-removals.ts";
import { RefusedWrites, type RefusedWritesOptions } from "./refused-writes.ts";
import { appendToLog, saveState, type SavedSize } from "../saved/saved-log.ts";
import { execute, refusedIn } from "../saved/transaction.ts";
import { Wakeup } from "./wakeup.ts";

export interface EngineWriterOptions extends RefusedWritesOptions, LookContext {
  /** Tells its marks from those of an earlier link. */
  readonly name: string;
  /** What of the engine is the site's. */
  readonly slice: SiteSlice;
  /** What is over of keys. */
  readonly over: OverFinder;
  /** How far the stream is captured: with what was given to `log`, and no further. */
  readonly place: () => Omit<Place, "number">;
  /** Number of the last place that was saved. */
  readonly placed: number;
  /** What is in the engine already. */
  readonly saved: SavedSize;
  /** The whole state, with all that was given to the writer. */
  readonly save: () => Uint8Array;
  /** These are in the engine, in this order. */
  readonly onWritten: (entries: readonly LoggedEntry[]) => void;
}

/** What other sites did in one transaction: so many applies, and not many more commands. */
const BATCH = 512;
const COMMANDS = 4_096;
/** What comes within this time goes into one transaction, in milliseconds: each has a price, for the engine and its replicas too. */
const GATHER_MS = 10;
/** When more applies wait, other sites wait. */
const ROOM = 8_192;
/** Bytes of the log, and twice those of the last checkpoint, after which a checkpoint replaces both. */
const LEAST_LOG = 65_536;

/** Writes what the link decides into the engine: what other sites did together with its log, one transaction after the other. */
export class EngineWriter {
  readonly #options: EngineWriterOptions;
  readonly #work = new Wakeup();
  readonly #roomy = new Wakeup();
  #applies: Apply[] = [];
  #captured: CodedOperation[] = [];
  #isPlaceNew = false;
  #logBytes: number;
  #savedBytes: number;
  #refusal = "";
  #placed: number;
  readonly #refused: RefusedWrites;
  /** Removes what is over. */
  readonly over: OverRemovals;

  constructor(options: EngineWriterOptions) {
    this.#options = options;
    [this.#logBytes, this.#savedBytes] = [options.saved.log, options.saved.checkpoint];
    this.#placed = options.placed;
    this.#refused = new RefusedWrites(options);
    this.over = new OverRemovals(options, options.name, options.over);
  }

  /** Takes applies, and resolves when there is room for more. */
  async apply(applies: readonly Apply[]): Promise<void> {
    if (applies.length > 0) this.#work.wake();
    for (const each of applies) this.#applies.push(each);
    while (this.#applies.length > ROOM && !this.#options.signal.aborted) await this.#roomy.next();
  }

  /** Takes an operation of the site itself, to log it. */
  log(operation: CodedOperation): void {
    this.#captured.push(operation);
    this.#work.wake();
  }

  /** Writes down how far the stream is captured, even when nothing was captured. */
  logPlace(): void {
    this.#isPlaceNew = true;
    this.#work.wake();
  }

  /** Why the engine takes nothing at the moment; empty while it does. */
  get refusal(): string {
    return this.#refusal;
  }

  /** How many writes of other sites the engine has refused when they ran. */
  get refusedWrites(): number {
    return this.#refused.count;
  }

  /** Writes until the signal comes; rejects when the connection ends. */
  async run(): Promise<void> {
    await Promise.all([this.#write(), this.over.run()]);
  }

  async #write(): Promise<void> {
    const { clock, signal } = this.#options;
    while (!signal.aborted) {
      const more = this.#work.next();
      if (this.#applies.length + this.#captured.length > 0 || this.#isPlaceNew) await this.#writeBatch();
      else await more;
      // aborted: the loop looks at the signal
      if (this.#applies.length < BATCH) await clock.sleep(GATHER_MS, signal).catch(() => undefined);
    }
  }

  /** Ends what waits: the signal has come. */
  end(): void {
    this.#work.wake();
    this.#roomy.wake();
    this.over.end();
  }

  async #writeBatch(): Promise<void> {
    const isSaved = this.#logBytes > Math.max(LEAST_LOG, 2 * this.#savedBytes);
    // what is saved is the state with all that waits: nothing may stay behind
    const applies = this.#applies.splice(0, isSaved ? Infinity : batchOf(this.#applies));
    const captured = this.#captured.splice(0).map((operation) => ({ kind: "captured", operation }) as const);
    this.#isPlaceNew = false;
    const entries = [...captured, ...applies.flatMap(({ logged }) => logged ?? [])];
    const { slice } = this.#options;
    const kept = isSaved
      ? saveState(this.#options.save(), this.#place(), slice.kept)
      : [appendToLog({ entries, place: this.#place() }, slice.kept)];
    const bytes = bytesIn(kept);
    const marks = applies.length === 0 ? [] : [writeMark(applies.map(({ mark }) => mark).join(" "), slice.kept.mark)];
    const transaction = linkTransaction(
      [...marks, ...kept],
      applies.flatMap(({ commands }) => commands.map(slice.written)),
    );
    // the next transaction rests on this one
    const replies = await execute(this.#options, transaction, (refusal) => (this.#refusal = refusal));
    await this.#refused.look(applies, refusedIn(transaction, replies), transaction.length - 1);
    if (isSaved) this.#savedBytes = bytes;
    this.#logBytes = isSaved ? 0 : this.#logBytes + bytes;
    this.#options.onWritten(entries);
    if (this.#applies.length <= ROOM) this.#roomy.wake();
  }

  #place(): Place {
    this.#placed += 1;
    return { ...this.#options.place(), number: this.#placed };
  }
}

/** How many of the applies go into the next transaction. */
function batchOf(applies: readonly Apply[]): number {
  let commands = 0;
  let count = 0;
  while (count < Math.min(BATCH, applies.length) && commands < COMMANDS) {
    commands += applies[count]?.commands.length ?? 0;
    count += 1;
  }
  return count;
}

function bytesIn(commands: readonly LinkKeyCommand[]): number {
  return commands.flat().reduce((sum: number, arg) => sum + (arg instanceof Uint8Array ? arg.length : 16), 0);
}
