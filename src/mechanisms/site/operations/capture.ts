import { capturedEffects } from "../../../core/merge/operations/captured-effects.ts";
import type { Captured } from "../../../core/merge/operations/captured.ts";
import { expiredEffects } from "../../../core/merge/operations/expired-effects.ts";
import { KnownScores } from "../../../core/merge/operations/known-scores.ts";
import type { RepairedKeys } from "../../../core/merge/repaired-keys.ts";
import type { ExpiringKeys } from "../../../core/merge/state/lost-expiries.ts";
import type { RacedKey } from "../../../core/merge/operations/key-part.ts";
import { WrittenKeys } from "../../../core/merge/state/written-keys.ts";
import type { Effect } from "../../../core/merge/operations/operation.ts";
import type { Remains } from "../../../core/merge/saved/saved-site.ts";
import { argumentAt, argumentsOf, type CommandFrame } from "../../../ports/resp/command-frame.ts";
import type { ReplicationStream, StreamCommand } from "../../../ports/resp/replication-stream.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import { readAt } from "../saved/transaction.ts";
import { PLACE_ASKED } from "../saved/marks.ts";
import type { PendingRead, Reached, Unread, WantedRead } from "./capture-parts.ts";
import { ExpiryLooks } from "./expiry-looks.ts";
import { KeyLooks, type LookContext, type TakeKey } from "./key-looks.ts";
import { effectsOfReads, effectsOfScores, readsOf } from "./key-reads.ts";
import { MemberLooks } from "./member-looks.ts";
import { fileBytes } from "./file-bytes.ts";
import { numberIn, type Place } from "../saved/place.ts";
import { ReadRests } from "./read-rests.ts";
import { StreamUnits } from "./stream-units.ts";

/** Keys are read by its connection. */
export interface CaptureOptions extends LookContext {
  /** Where the stream begins, and what of it was captured before. */
  readonly from: Place;
  /** What is known of keys of which the time of expiry may be gone. */
  readonly expiring: ExpiringKeys;
  /** What is known of keys that the site is writing again. */
  readonly repaired: RepairedKeys;
  /** Tells the marks of this reader from those of an earlier one that are still in the stream. */
  readonly name: string;
  /** Called with what clients did. */
  readonly onEffects: (effects: readonly Effect[]) => void;
  /** The first place that was saved has come by: those after it can be found in an append-only file. */
  readonly onAnchored: () => void;
  /** Called when a mark came by: its changes are made when the call returns, and the promise waits only for room. */
  readonly onMark: (mark: string) => Promise<void>;
}

/** How long a read waits until the site has written the key again, in milliseconds. */
const REPAIR_MS = 5;
/** So often: what is written again all the time is taken as it is. */
const REPAIR_TRIES = 20;

/** Turns the stream of an engine into what clients did. */
export class Capture {
  /** What the stream shows, whoever wrote it. */
  readonly written = new WrittenKeys();
  readonly #options: CaptureOptions;
  readonly #units = new StreamUnits();
  /** Keys that have to be read. */
  readonly #unread = new Map<string, Unread>();
  readonly #reads = new Map<string, PendingRead>();
  readonly #rests = new ReadRests();
  readonly #looks: KeyLooks;
  readonly #scores = new KnownScores();
  readonly #members: MemberLooks;
  readonly #expiries: ExpiryLooks<Reached>;
  #reached: Reached;
  #captured: number;
  #written: number;
  #anchor: Place["anchor"];
  #readNumber = 0;

  constructor(options: CaptureOptions) {
    this.#options = options;
    this.#looks = new KeyLooks(options, options.name);
    this.#members = new MemberLooks(options, this.#looks, this.#scores);
    this.#expiries = new ExpiryLooks(options, options.name, options.expiring);
    this.#reached = options.from;
    this.#captured = options.from.captured;
    this.#written = options.from.written;
    this.#anchor = options.from.anchor;
  }

  /** How far the stream is captured. */
  get reached(): Reached & Pick<Place, "captured"> {
    const begins = [...this.#unread.values(), ...this.#reads.values()].map(({ begin }) => begin);
    const earlier = (a: Reached, b: Reached): Reached => (b.written < a.written ? b : a);
    const first = earlier(this.#reached, this.#expiries.begin ?? this.#reached);
    const { replicationId, offset, database, written, anchor } = begins.reduce(earlier, first);
    return { replicationId, offset, database, written, anchor, captured: this.#captured };
  }

  /**
   * `reached`, with what a link that goes on there has to write again: `due` of the site, and lost times of expiry that such a link does not see
   * any more.
   */
  reachedWith(due: readonly RacedKey[] | undefined): Capture["reached"] & Pick<Remains, "due"> {
    return { ...this.reached, due: due && [...due, ...this.#expiries.due] };
  }

  /** The place behind the last command that was looked at, counted as `Place.written` is. */
  get passed(): number {
    return this.#written;
  }

  /** Takes the stream until its end. */
  async follow({ commands }: ReplicationStream): Promise<void> {
    for await (const together of commands)
      for (const command of together) {
        const end = this.#pass(command);
        const unit = this.#units.add(command);
        if (this.#units.isOpen) continue;
        if (unit !== undefined) this.#expiries.pass(unit, this.#reached);
        if (unit === undefined) this.#advance(end);
        else if (unit.kind === "mark") {
          this.#passWrites(unit.writes);
          this.#takeExpired(unit.writes, end);
          await this.#takeMark(unit.mark, end);
        } else this.#takeWrites(unit.commands, end);
      }
  }

  /** The place behind the command. */
  #pass(command: StreamCommand): Reached {
    const { database, replicationId, offset } = command;
    this.#written += fileBytes(command);
    const number = numberIn(command);
    if (number !== undefined) this.#anchor = { number, written: this.#written };
    return { replicationId, offset, database, written: this.#written, anchor: this.#anchor };
  }

  /** Reads a key, and captures what it holds; resolves when that is done. Several changes within one turn are read once. */
  read(key: string): Promise<void> {
    return this.#read({ key, members: undefined }, this.#reached);
  }

  #read({ key, members }: WantedRead, begin: Reached, tries = 0): Promise<void> {
    const known = this.#unread.get(key);
    if (known !== undefined) {
      if (begin.written < known.begin.written) known.begin = begin;
      known.members = members && known.members?.union(new Set(members));
      return known.captured.promise;
    }
    const captured = Promise.withResolvers<void>();
    const unread: Unread = { begin, captured, tries, members: members && new Set(members) };
    this.#unread.set(key, unread);
    const { clock, signal } = this.#options;
    const rest = members === undefined ? this.#rests.msFor(key, clock.uptimeMs()) : 0;
    const restMs = tries === 0 ? rest : Math.max(rest, REPAIR_MS);
    const ask = (): void => this.#ask(key, unread);
    if (restMs === 0) setImmediate(ask);
    else clock.sleep(restMs, signal).then(ask, () => undefined); // aborted: nobody asks any more
    return captured.promise;
  }

  #ask(key: string, unread: Unread): void {
    if (this.#unread.get(key) !== unread) return;
    const { members, begin, captured, tries } = unread;
    this.#unread.delete(key);
    this.#readNumber += 1;
    const mark = `read:${this.#options.name}:${this.#readNumber}`;
    const wanted = { key, members: members && [...members] };
    const reads = wanted.members === undefined ? readsOf(key) : [["ZMSCORE", key, ...wanted.members]];
    const replies = readAt(this.#options, mark, reads);
    replies.catch(() => undefined); // who waits for it, or for the connection, has the failure
    this.#reads.set(mark, { ...wanted, begin, captured, tries, replies, askedMs: this.#options.clock.uptimeMs() });
  }

  /** Reads keys, and captures what they hold; resolves when that is done, or the signal comes. */
  async readAll(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const { signal } = this.#options;
    const ended = Promise.withResolvers<unknown>();
    signal.addEventListener("abort", ended.resolve, { once: true });
    if (!signal.aborted) await Promise.race([Promise.all(keys.map((key) => this.read(key))), ended.promise]);
    signal.removeEventListener("abort", ended.resolve);
  }

  /** Something of the key is captured when it has been read. */
  isReading(key: string): boolean {
    return this.#unread.has(key) || [...this.#reads.values()].some((read) => read.key === key);
  }

  /** All that the key holds is captured when it has been read. */
  isReadingAll(key: string): boolean {
    const isAll = ({ members }: Unread | PendingRead): boolean => members === undefined;
    const unread = this.#unread.get(key);
    return (
      (unread !== undefined && isAll(unread)) ||
      [...this.#reads.values()].some((read) => read.key === key && isAll(read))
    );
  }

  /** Reads keys without capturing them, and calls `take` at the place of the stream where they were read; rejects when that ends before. */
  look(keys: readonly string[], take: TakeKey): Promise<void> {
    return this.#looks.look(keys, take);
  }

  /** Notes first what has to be read, and gives last what is captured, so that a place that is noted then covers both. */
  #takeWrites(commands: readonly (readonly string[])[], end: Reached): void {
    const captured = commands.flatMap((command) => capturedEffects(command, this.#scores) ?? []);
    const effects = captured.flatMap((each) => each.effects);
    this.#noteWritten(captured.flatMap(keysOf));
    const isNew = end.written > this.#captured;
    for (const { read, scores } of captured)
      for (const wanted of [...read.map((key) => ({ key, members: undefined })), ...scores])
        void this.#read(wanted, this.#reached);
    for (const command of commands) this.#members.pass(command);
    this.#advance(end);
    if (effects.length > 0 && isNew) this.#options.onEffects(effects);
  }

  #noteWritten(keys: readonly string[]): void {
    const now = this.#options.clock.uptimeMs();
    for (const key of keys) this.written.add(key, now);
  }

  /** Follows the sorted sets through what the site itself wrote, and what the engine did by itself with that. */
  #passWrites(writes: readonly CommandFrame[]): void {
    this.#noteWritten(writes.flatMap(({ frame }) => argumentAt(frame, 1) ?? []));
    for (const { name, frame } of writes)
      if (this.#scores.isConcernedBy(name, () => argumentAt(frame, 1) ?? "")) this.#scores.pass(argumentsOf(frame));
  }

  /**
   * Takes expiries that the engine did unasked before it did what the site asked for. The place stays before the unit, so that its mark comes by
   * once more for a link that goes on there.
   */
  #takeExpired(writes: readonly CommandFrame[], end: Reached): void {
    const effects = writes.flatMap(({ name, frame }) => (name === "UNLINK" ? expiredEffects(argumentsOf(frame)) : []));
    if (effects.length === 0 || end.written <= this.#captured) return;
    this.#captured = end.written;
    this.#options.onEffects(effects);
  }

  async #takeMark(mark: string, end: Reached): Promise<void> {
    const read = this.#reads.get(mark);
    if (read !== undefined) return this.#takeRead(mark, read, end);
    const lost = await this.#expiries.take(mark);
    if (lost === undefined && mark !== PLACE_ASKED && !(await this.#looks.pass(mark))) {
      const marked = this.#options.onMark(mark);
      this.askBeforeRepairs();
      this.#advance(end);
      return marked;
    }
    this.#advance(end);
    // where the place is asked for, it goes with what has been seen so far
    if (mark === PLACE_ASKED || (lost ?? []).length > 0) this.#options.onEffects(lost ?? []);
  }

  /**
   * To be called between the decision to write a key again and the write, on the same connection: that removes members which clients have added
   * under a condition, unless they are read before.
   */
  askBeforeRepairs(): void {
    for (const [key, unread] of this.#unread)
      if (unread.members !== undefined && unread.tries === 0 && this.#options.repaired.isBeingRepaired(key))
        this.#ask(key, unread);
  }

  async #takeRead(mark: string, read: PendingRead, end: Reached): Promise<void> {
    const { key, members, captured, askedMs } = read;
    const replies = await read.replies;
    this.#reads.delete(mark);
    if (read.tries < REPAIR_TRIES && this.#options.repaired.isBeingRepaired(key))
      return this.#takeHidden(read, replies, end);
    const effects = members === undefined ? effectsOfReads(key, replies) : effectsOfScores({ key, members }, replies);
    if (members === undefined) {
      const now = this.#options.clock.uptimeMs();
      this.#rests.add(key, { effects, tookMs: now - askedMs, now });
      this.#scores.learn(key, effects);
    }
    this.#advance(end);
    this.#options.onEffects(effects);
    captured.resolve();
  }

  /** Captures what such a read shows, and reads the rest again. */
  #takeHidden({ key, members, begin, captured, tries }: PendingRead, replies: readonly Reply[], end: Reached): void {
    const parts =
      members && this.#options.repaired.partHidden(members, key, effectsOfScores({ key, members }, replies));
    if (parts?.hidden.length === 0) captured.resolve();
    else void this.#read({ key, members: parts?.hidden }, begin, tries + 1).then(captured.resolve);
    this.#advance(end);
    if (parts !== undefined && parts.shown.length > 0) this.#options.onEffects(parts.shown);
  }

  #advance(end: Reached): void {
    const isFirst = this.#reached.anchor === undefined && end.anchor !== undefined;
    this.#reached = end;
    this.#captured = Math.max(this.#captured, end.written);
    if (isFirst) this.#options.onAnchored();
  }
}

/** The keys that a command has changed. */
function keysOf({ effects, read, scores }: Captured): readonly string[] {
  return [
    ...effects.flatMap((effect) => ("key" in effect ? effect.key : [])),
    ...read,
    ...scores.map(({ key }) => key),
  ];
}
